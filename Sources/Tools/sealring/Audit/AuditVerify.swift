import ArgumentParser
internal import Bytes
import EvidenceLedger
import Foundation
import StrictJSON

extension Audit {
  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Verify an export, offline: chain, checkpoint, and every device's signature; or what a server sends.",
      discussion: """
        The challenge of a transaction is computed from its fields and compared with the signed one, and no signed token \
        may stand in two entries. Exit code 1 and the number of the first bad entry when something was changed, removed, reordered or cut. \
        Without --ledger the file is only shown to agree with itself: note the ledger's fingerprint once, and pass it.
        With --server, the entries of --realm that the server sends to an auditor are verified: each hash, each signature, and the chain \
        where neighbours are of the realm. That nothing is missing is shown by an export alone.
        """)

    @Argument(help: "The exported file; - reads standard input.", completion: .file())
    var file: String?

    @OptionGroup var place: DataOrServer

    @Option(help: "The realm, for --server.")
    var realm = CurrentSettings.text("realm")

    @Option(help: "The fingerprint of the ledger that it must be.")
    var ledger: String?

    @Option(help: "An earlier export of the same ledger that this one must continue.", completion: .file())
    var continues: String?

    @Flag(help: "Check chain and checkpoint only, not the devices' signatures.")
    var hashesOnly = false

    @Flag(help: PlainProofs.help)
    var plainProofs = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    func validate() throws {
      guard (file == nil) != (place.server == nil), place.data.data == nil else {
        throw ValidationError(
          "Name either the exported file or a --server. `sealring audit export` makes the file.")
      }
      if place.server != nil, ledger != nil || continues != nil {
        throw ValidationError("--ledger and --continues are for exported files.")
      }
      if hashesOnly, plainProofs { throw ValidationError("--plain-proofs does not go with --hashes-only.") }
      if let ledger, EvidenceHash(ledger) == nil {
        throw ValidationError(
          "--ledger is a fingerprint of 43 characters, as `sealring audit export` prints it.")
      }
    }

    func run() async throws {
      if let administration = try place.administration(realm: realm) {
        return try await verify(by: administration)
      }
      let verifier = EvidenceVerifier(
        fingerprint: ledger.flatMap { EvidenceHash($0) },
        earlierCheckpoint: try continues.map { try InputFile.lastLine(of: $0) },
        checksSignatures: !hashesOnly, allowsPlainProofs: plainProofs,
        workers: ProcessInfo.processInfo.activeProcessorCount)
      let input = try InputFile(path: file ?? "-")
      let progress = ProgressLine()
      defer { progress.clear() }
      do {
        let summary = try await verifier.verify(progress: { progress.show("\($0) entries…") }) {
          try input.read()
        }
        progress.clear()
        report(summary)
      } catch let fault as EvidenceFault {
        progress.clear()
        if json {
          Output.json([
            "valid": false, "kind": .string(fault.kind.rawValue),
            "entry": fault.entry.map { .integer($0) } ?? .null, "reason": .string(fault.reason),
          ])
        }
        throw CommandFailure("\(name): \(printable(sentence("\(fault)")))", code: .damaged)
      }
    }

    private var name: String { file.flatMap { $0 == "-" ? nil : printable($0) } ?? "standard input" }

    private func report(_ summary: EvidenceExportCheck.Summary) {
      let checkpoint = summary.checkpoint
      if json {
        Output.json([
          "valid": true, "entries": .integer(checkpoint.count), "ledger": .string(checkpoint.ledger.text),
          "head": .string(checkpoint.head.text), "time": .integer(checkpoint.time),
          "signatures": .bool(!hashesOnly),
        ])
      } else {
        let time = Times.text(Date(millisecondsSince1970: checkpoint.time))
        Output.line(
          """
          \(name): \(checkpoint.count) entries, whole and unchanged\
          \(hashesOnly ? "; signatures not checked" : "; every signature verifies").
          ledger \(checkpoint.ledger)\(ledger == nil ? "\n       (compare it with your note, or pass it as --ledger)" : "")
          head   \(checkpoint.head)
          signed \(time)
          """)
      }
    }
  }
}
