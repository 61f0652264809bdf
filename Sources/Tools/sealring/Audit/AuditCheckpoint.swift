import ArgumentParser
import EvidenceLedger
import Foundation
import StrictJSON

extension Audit {
  struct Checkpoint: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write the signed head of the ledger's tree to a file.",
      discussion: """
        A few hundred bytes that stand for all entries. Publish it, or keep it where the server's operator cannot change it: \
        `sealring audit verify --against` shows later that nothing was rewritten, removed or forked. \
        With --since, the proof that it continues an earlier checkpoint is in the file, and nothing is written when it does not.
        """)

    @OptionGroup var source: LedgerSource

    @Option(help: "An earlier checkpoint of the same ledger.", completion: .file())
    var since: String?

    @Argument(help: "The file to write.", completion: .file())
    var file: String

    @Flag(help: "Replace the file when it is there.")
    var force = false

    @Flag(help: "Print what was written as JSON.")
    var json = false

    func run() async throws {
      let earlier = try since.map { try CheckpointFile.read($0) }
      guard case .checkpoint(let made) = try await source.make(.checkpoint(since: earlier)) else { return }
      try AtomicFile.write(made.file, to: file, replaces: force)
      CheckpointFile.report(made, in: file, json: json)
    }
  }
}
