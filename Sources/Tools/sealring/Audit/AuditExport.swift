import ArgumentParser
import EvidenceLedger
import Foundation
import JourneyStore
import StrictJSON

extension Audit {
  struct Export: AsyncParsableCommand, JSONFlag {
    static let configuration = CommandConfiguration(
      abstract: "Write the whole ledger, with a signed checkpoint at its end, to a file.",
      discussion: """
        One JSON object per line. The file is written completely or not at all. Keep it, or at least its last line, where the \
        server's operator cannot change it: `sealring audit verify --continues` shows later that nothing was rewritten. With --server, an \
        auditor of the root realm gets it from there, up to 64 MiB.
        """)

    @OptionGroup var place: DataOrServer

    @Argument(help: "The file to write; - writes to standard output.", completion: .file())
    var file: String

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @Flag(help: "Print what was exported as JSON.")
    var json = false

    func validate() throws {
      if json, file == "-" {
        throw ValidationError("--json and the ledger would both go to standard output.")
      }
    }

    func run() async throws {
      let checkpoint = try await written()
      done(
        """
        Exported \(checkpoint.count) entries to \(file == "-" ? "standard output" : printable(file)).
        ledger \(checkpoint.ledger)
        head   \(checkpoint.head)
        """,
        [
          "file": .string(file), "entries": .integer(checkpoint.count),
          "ledger": .string(checkpoint.ledger.text), "head": .string(checkpoint.head.text),
          "time": .string(JSONTimes.text(checkpoint.time)),
        ])
    }

    private func written() async throws -> EvidenceCheckpoint {
      if let administration = try place.administration(realm: "root") {
        let (bytes, checkpoint) = try await administration.signedIn { try await $0.ledgerExport() }
        try AtomicFile(path: file, replaces: force, hyphenIsOutput: true).finish(bytes)
        return checkpoint
      }
      let archive = try await place.data.archive()
      let output = try AtomicFile(path: file, replaces: force, hyphenIsOutput: true)
      let checkpoint = try await archive.export(at: Date()) { try output.write($0) }
      try output.commit()
      return checkpoint
    }
  }
}
