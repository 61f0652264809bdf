import ArgumentParser
import EvidenceLedger
import Foundation
import JourneyStore
import StrictJSON

/// The ledger for checkpoints and proofs: a server's own, or an export.
struct LedgerSource: ParsableArguments {
  @OptionGroup var data: Audit.DataOptions

  @Option(help: "Use this export in place of a server's data; - reads standard input.", completion: .file())
  var export: String?

  func validate() throws {
    if export != nil, data.data != nil { throw ValidationError("--data and --export do not go together.") }
  }

  func make(_ goal: EvidenceProofMaker.Goal) async throws -> EvidenceProofMaker.Made {
    try await Self.make(goal, export: export, data: data)
  }

  /// Reads the whole ledger once, in constant memory.
  ///
  /// - Throws: ``CommandFailure``, with the number of the first bad entry, when the ledger is damaged.
  static func make(
    _ goal: EvidenceProofMaker.Goal, export: String?, data: Audit.DataOptions
  ) async throws -> EvidenceProofMaker.Made {
    do {
      var maker = EvidenceProofMaker(goal)
      if let export {
        let input = try InputFile(path: export)
        while case let piece = try input.read(), !piece.isEmpty { try maker.take(piece) }
      } else {
        maker = try await data.archive().export(at: Date(), to: maker)
      }
      return try maker.finish()
    } catch let fault as EvidenceFault {
      if fault.kind == .missing, fault.entry == nil, case .inclusion(let number, _) = goal {
        throw CommandFailure.notFound(
          "There is no entry \(number). `sealring audit list` shows what there is.")
      }
      throw CommandFailure(
        "\(export.map { $0 == "-" ? "Standard input" : printable($0) } ?? "The ledger"): \(printable(sentence("\(fault)")))",
        code: fault.kind == .missing ? .notFound : .damaged)
    }
  }
}

/// Reads and reports files of checkpoints.
enum CheckpointFile {
  /// - Throws: ``CommandFailure``, which names the file.
  static func read(
    _ path: String, ledger: EvidenceHash? = nil, witness: String? = nil
  ) throws -> VerifiedCheckpoint {
    let bytes = try GivenFile.bytes(path, limit: UnverifiedCheckpoint.maximumBytes)
    do throws(EvidenceFault) {
      return try UnverifiedCheckpoint(parsing: bytes).verified(ledger: ledger, witness: witness)
    } catch { throw CommandFailure.damaged("\(printable(path)): \(printable(sentence("\(error)")))") }
  }

  /// Reports the content of the file.
  static func report(_ made: VerifiedCheckpoint, in path: String, _ write: WriteOptions) {
    let checkpoint = made.checkpoint
    write.done(
      """
      Checkpoint of \(checkpoint.count) entries in \(printable(path)).
      ledger  \(checkpoint.ledger)
      root    \(made.root)\(made.witness.map { "\nwitness \($0.thumbprint)" } ?? "")
      """,
      [
        "file": .string(path), "entries": .integer(checkpoint.count),
        "ledger": .string(checkpoint.ledger.text),
        "head": .string(checkpoint.head.text), "root": .string(made.root.text),
        "time": .string(JSONTimes.text(checkpoint.time)),
        "witness": made.witness.map { .string($0.thumbprint) } ?? .null,
      ])
  }
}

/// `--ledger` of commands that verify.
struct FingerprintOption: ParsableArguments {
  // One in 64 fingerprints begins with a hyphen.
  @Option(parsing: .unconditional, help: "The fingerprint of the ledger that it must be.")
  var ledger: String?

  var fingerprint: EvidenceHash? { ledger.flatMap { EvidenceHash($0) } }

  func validate() throws {
    if ledger != nil, fingerprint == nil {
      throw ValidationError(
        "--ledger is a fingerprint of 43 characters, as `sealring audit export` prints it.")
    }
  }
}
