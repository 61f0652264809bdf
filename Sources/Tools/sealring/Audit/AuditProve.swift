import ArgumentParser
import EvidenceLedger
import Foundation
import StrictJSON

extension Audit {
  struct Prove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write the proof that an entry is in the ledger, for somebody who must not see the rest.",
      discussion: """
        The file holds the entry, the hashes that lead from it to the root of the ledger's tree, and the signed checkpoint. \
        `sealring audit verify FILE` verifies it offline. With --server the server makes the proof, and this command verifies it.
        """)

    @OptionGroup var place: DataOrServer

    @Option(help: "The entry's realm, for --server.")
    var realm = CurrentSettings.text("realm")

    @Option(help: "Use this export in place of a server's data; - reads standard input.", completion: .file())
    var export: String?

    @Option(
      name: .customLong("at"),
      help: "Prove it in the tree of this earlier checkpoint, such as one with a witness.",
      completion: .file())
    var checkpoint: String?

    @Argument(help: "The entry's number, as `sealring audit list` shows it.")
    var number: Int64

    @Argument(help: "The file to write; - writes to standard output.", completion: .file())
    var file: String

    @Flag(help: PlainProofs.help)
    var plainProofs = false

    @OptionGroup var write: WriteOptions

    func validate() throws {
      if number < 1 { throw ValidationError("Entries are numbered from 1.") }
      if place.server != nil, export != nil || checkpoint != nil {
        throw ValidationError("--export and --at cannot be combined with --server.")
      }
      if place.server == nil, plainProofs {
        throw ValidationError(
          "--plain-proofs is for --server: of data at hand the signatures are not verified here.")
      }
      if export != nil, place.data.data != nil {
        throw ValidationError("--data and --export do not go together.")
      }
      if write.json, file == "-" {
        throw ValidationError("--json and the proof would both go to standard output.")
      }
    }

    private func proof() async throws -> VerifiedInclusion? {
      if let administration = try place.administration(realm: realm) {
        return try await administration.signedIn {
          try await $0.proof(number: number, allowsPlainProofs: plainProofs)
        }
      }
      let published = try checkpoint.map { try CheckpointFile.read($0) }
      let made = try await LedgerSource.make(
        .inclusion(number, at: published), export: export, data: place.data)
      guard case .inclusion(let inclusion) = made else { return nil }
      return inclusion
    }

    func run() async throws {
      guard let made = try await proof() else { return }
      try AtomicFile(path: file, replaces: write.force, hyphenIsOutput: true).finish(made.file)
      let signed = made.checkpoint.checkpoint
      write.done(
        """
        Proof of entry \(number) among \(signed.count) in \(file == "-" ? "standard output" : printable(file)).
        ledger \(signed.ledger)
        root   \(made.checkpoint.root)
        """,
        [
          "file": .string(file), "entry": .integer(number), "entries": .integer(signed.count),
          "ledger": .string(signed.ledger.text), "root": .string(made.checkpoint.root.text),
        ])
    }
  }
}
