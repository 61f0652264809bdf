import ArgumentParser
internal import Bytes
import Foundation
import JourneyStore
import SecurityEvents
import StrictJSON

extension Audit {
  struct Retain: AsyncParsableCommand, JSONFlag {
    static let configuration = CommandConfiguration(
      abstract: "Remove the content of old entries for good; their hashes stay in the tree.",
      discussion: """
        Names, keys and signed tokens of entries before a time go; number and hash of each stay. Exports, checkpoints and proofs of \
        inclusion that were made before still verify, and later checkpoints continue them. Export first: what is removed cannot be shown or \
        proved from this server any more. On PostgreSQL with lanes, whole epochs go (docs/audit.md).
        """)

    @OptionGroup var data: DataOptions

    @Option(help: "What is older goes: \(PointInTime.help)")
    var before: PointInTime

    @Flag(help: "Remove it. Without this the command only says what it would need.")
    var yes = false

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() async throws {
      guard before.date < Date() else { throw ValidationError("--before is a time that has passed.") }
      guard yes else {
        throw CommandFailure.cancelled(
          "This cannot be undone. Export the ledger first (`sealring audit export`), then add --yes.")
      }
      let time = before.date.millisecondsSince1970
      let removed = try await data.withStore { store, local in
        // Portions that are removed stay removed when the command is interrupted: who did it must stand somewhere by then.
        try await local.note(SecurityEvent(.ledgerRemovalBegan, detail: ["before": .integer(time)]))
        let removed = try await store.removeEvidenceContent(before: time).removed
        try await local.note(
          SecurityEvent(
            .ledgerContentRemoved, detail: ["removed": .integer(removed), "before": .integer(time)]))
        return removed
      }
      done(
        "The first \(removed) entries of the ledger have no content any more; their hashes stay.",
        ["removed": .integer(removed), "before": .integer(time)])
    }
  }
}
