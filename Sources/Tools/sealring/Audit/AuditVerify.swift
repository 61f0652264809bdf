import ArgumentParser
internal import Bytes
import EvidenceLedger
import Foundation
import JourneyStore
import StrictJSON

extension Audit {
  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Verify an export, a proof or a checkpoint offline, or the entries that a server sends.",
      discussion: """
        The challenge of a transaction is computed from its fields and compared with the signed one, and no signed token may appear in two \
        entries. Exit code 1 and the number of the first bad entry when something was changed, removed, reordered or cut. \
        --against an earlier checkpoint finds a ledger that was rewritten or forked since.
        Without --ledger, verification shows only that the file is consistent with itself: note the ledger's fingerprint once, and pass it. \
        With --data, the file must be of the ledger that the server has there, and that one must be the ledger it has had from its beginning.
        With --server, the entries of --realm that the server sends to an auditor are verified: each hash, each signature, and the chain \
        between neighbouring entries of the realm. Only an export shows that nothing is missing.
        """)

    @Argument(help: "The export, proof or checkpoint; - reads standard input.", completion: .file())
    var file: String?

    @OptionGroup var place: DataOrServer

    @Option(help: "The realm, for --server.")
    var realm = CurrentSettings.text("realm")

    @OptionGroup var known: FingerprintOption

    @Option(help: "An earlier export of the same ledger that this one must continue.", completion: .file())
    var continues: String?

    @Option(help: "An earlier checkpoint of the same ledger that this must continue.", completion: .file())
    var against: String?

    @Option(
      parsing: .unconditional,
      help: "The thumbprint of the witness that must have countersigned --against, else the file.")
    var witness: String?

    @Flag(help: "Check chain and checkpoint only, not the devices' signatures.")
    var hashesOnly = false

    @Flag(help: PlainProofs.help)
    var plainProofs = false

    @OptionGroup var output: ResultOptions

    func validate() throws {
      guard (file == nil) != (place.server == nil) else {
        throw ValidationError(
          "Name either the exported file or a --server. `sealring audit export` makes the file.")
      }
      if place.server != nil, [known.ledger, continues, against, witness].contains(where: { $0 != nil }) {
        throw ValidationError("--ledger, --continues, --against and --witness are for files.")
      }
      if continues != nil, against != nil {
        throw ValidationError(
          "--continues takes an earlier export, --against a checkpoint: name one of them.")
      }
      if hashesOnly, plainProofs {
        throw ValidationError("--plain-proofs cannot be combined with --hashes-only.")
      }
    }

    func run() async throws {
      if let administration = try place.administration(realm: realm) {
        return try await verify(by: administration)
      }
      var command = self
      if place.data.data != nil || place.data.database != nil { command.known.ledger = try await ownLedger() }
      try await command.verifyFile()
    }

    /// The fingerprint of the server's own ledger.
    ///
    /// - Throws: `StoreError` when the ledger was removed or exchanged, `CommandFailure` when it is not the one of --ledger.
    private func ownLedger() async throws -> String {
      let own = try await place.data.archive().header.fingerprint.text
      guard known.ledger == nil || known.ledger == own else {
        throw CommandFailure.damaged("The server's ledger is \(own), and not the one of --ledger.")
      }
      return own
    }

    private func verifyFile() async throws {
      let published = try against.map { try CheckpointFile.read($0, witness: witness) }
      let input = try InputFile(path: file ?? "-")
      var start = try input.read()
      if try await verifyProof(beginning: start, input, against: published) { return }
      if witness != nil, published == nil {
        throw ValidationError(
          "--witness needs a checkpoint: an export has none that is countersigned. Name one with --against.")
      }
      let verifier = EvidenceVerifier(
        fingerprint: known.fingerprint,
        earlierCheckpoint: try published?.checkpoint.line ?? continues.map { try InputFile.lastLine(of: $0) },
        checksSignatures: !hashesOnly, allowsPlainProofs: plainProofs,
        workers: ProcessInfo.processInfo.activeProcessorCount)
      report(
        try await judging(name) { progress in
          try await verifier.verify(progress: { progress.show("\($0) entries…") }) {
            defer { start = [] }
            return try start.isEmpty ? input.read() : start
          }
        })
    }

    /// Runs `body` with a progress line. A fault is printed as JSON if requested, and fails the command.
    func judging<Result>(
      _ name: String, _ body: (ProgressLine) async throws -> Result
    ) async throws -> Result {
      let progress = ProgressLine()
      defer { progress.clear() }
      do { return try await body(progress) } catch let fault as EvidenceFault {
        progress.clear()
        if output.json {
          Output.json([
            "valid": false, "kind": .string(fault.kind.rawValue),
            "entry": fault.entry.map { .integer($0) } ?? .null, "reason": .string(fault.reason),
          ])
        }
        throw CommandFailure.damaged("\(name): \(printable(sentence("\(fault)")))")
      }
    }

    /// Verifies the realm's entries as they arrive, newest first.
    private func verify(by administration: User.Administration) async throws {
      var check = ReceivedEvidenceCheck(checksSignatures: !hashesOnly, allowsPlainProofs: plainProofs)
      try await judging("Realm \(printable(realm))") { progress in
        try await administration.signedIn { client in
          try await client.allEvidence { entry in
            try check.add(entry)
            progress.show("\(check.count) entries…")
          }
        }
      }
      output.result(
        """
        Realm \(printable(realm)): \(check.count) entries, each unchanged\
        \(hashesOnly ? "; signatures not checked" : "; every signature verifies").
        \(check.linked) of them are chained to the one before; the entries between are other realms'. An export shows whether one is missing.
        """,
        [
          "valid": true, "realm": .string(realm), "entries": .integer(Int64(check.count)),
          "linked": .integer(Int64(check.linked)), "signatures": .bool(!hashesOnly),
        ])
    }

    var name: String { file.flatMap { $0 == "-" ? nil : printable($0) } ?? "standard input" }

    private func report(_ summary: EvidenceExportCheck.Summary) {
      let checkpoint = summary.checkpoint
      // Nobody can say of these whether anybody has signed them.
      let removed =
        checkpoint.removed > 0
        ? "\nThe first \(checkpoint.removed) have no content any more: of those only the hashes were checked."
        : ""
      let signatures = removed.isEmpty ? "every signature verifies" : "every signature that is left verifies"
      output.result(
        """
        \(name): \(checkpoint.count) entries, complete and unchanged; \
        \(hashesOnly ? "signatures not checked" : signatures).\(removed)
        \(ending(checkpoint, ("head", checkpoint.head.text)))
        """,
        [
          "valid": true, "entries": .integer(checkpoint.count), "removed": .integer(checkpoint.removed),
          "ledger": .string(checkpoint.ledger.text), "head": .string(checkpoint.head.text),
          "time": .string(JSONTimes.text(checkpoint.time)),
          "signatures": .bool(!hashesOnly),
        ])
    }
  }
}

/// Verifies entries of one realm that arrive newest first.
private struct ReceivedEvidenceCheck {
  let checksSignatures: Bool
  let allowsPlainProofs: Bool
  private(set) var count = 0

  /// The number of entries whose predecessor arrived and has the hash that they name.
  private(set) var linked = 0
  var last: Int64?

  /// The earliest entry so far, by lane.
  var later: [EvidenceLane: EvidenceEntry] = [:]

  /// - Throws: ``EvidenceFault`` with the number of the bad entry.
  mutating func add(_ entry: EvidenceEntry) throws(EvidenceFault) {
    if let last, entry.number >= last {
      throw EvidenceFault(.changed, entry: entry.number, "it appears twice or out of order")
    }
    let lane = EvidenceLane(of: entry.number)
    if let later = later[lane] {
      if later.previous == entry.hash {
        linked += 1
      } else if lane == .first, entry.number == later.number - 1 {
        throw EvidenceFault(.changed, entry: later.number, "it is not chained to the entry before it")
      }
    }
    if checksSignatures { try entry.verifySignature(allowsPlainProofs: allowsPlainProofs) }
    count += 1
    last = entry.number
    later[lane] = entry
  }
}
