import ArgumentParser
internal import Bytes
import EvidenceLedger
import Foundation
import StrictJSON

extension Audit.Verify {
  /// Verifies a proof of inclusion or a checkpoint.
  ///
  /// - Parameter start: the first bytes of `input`.
  /// - Returns: whether the input was a proof or a checkpoint.
  func verifyProof(
    beginning start: [UInt8], _ input: InputFile, against published: VerifiedCheckpoint?
  ) async throws -> Bool {
    try await judging(name) { _ in
      if start.starts(with: UnverifiedInclusion.start) {
        let bytes = try rest(of: input, after: start, limit: UnverifiedInclusion.maximumBytes)
        let proof = try UnverifiedInclusion(parsing: bytes).verified(
          ledger: known.fingerprint, allowsPlainProofs: plainProofs)
        if let published {
          try proof.requireCheckpoint(published)
        } else if witness != nil {
          throw ValidationError("--witness needs a checkpoint: name the one of --at with --against.")
        }
        report(proof)
        return true
      }
      if start.starts(with: UnverifiedCheckpoint.start) {
        let bytes = try rest(of: input, after: start, limit: UnverifiedCheckpoint.maximumBytes)
        let checkpoint = try UnverifiedCheckpoint(parsing: bytes).verified(
          ledger: known.fingerprint, witness: published == nil ? witness : nil)
        if let published { try checkpoint.requireContinuing(published) }
        report(checkpoint)
        return true
      }
      return false
    }
  }

  /// Reads the rest, but at most one byte more than the limit, which the parser then refuses.
  private func rest(of input: InputFile, after start: [UInt8], limit: Int) throws -> [UInt8] {
    var bytes = start
    while bytes.count <= limit, case let piece = try input.read(), !piece.isEmpty { bytes += piece }
    return bytes
  }

  private func report(_ proof: VerifiedInclusion) {
    let (entry, signed) = (proof.entry, proof.checkpoint.checkpoint)
    output.result(
      """
      \(ProofReport(entry).lines.joined(separator: "\n"))

      Checked, without any server:
      - Entry \(entry.number) is among the \(signed.count) entries of its ledger; its signature verifies.
      - The key has signed what is above, and the ledger's key has signed the ledger.
      \(ending(signed, ("root", proof.checkpoint.root.text)))

      Not checked:
      \(known.ledger == nil ? "- Whether you know this ledger: compare the fingerprint with your note.\n" : "")\
      - Who had the device. Time and place are the server's word.
      """,
      [
        "valid": true, "statement": ProofReport(entry).json, "entry": .object(entry.report),
        "entries": .integer(signed.count),
        "ledger": .string(signed.ledger.text), "root": .string(proof.checkpoint.root.text),
        "time": .string(JSONTimes.text(signed.time)),
      ])
  }

  private func report(_ made: VerifiedCheckpoint) {
    let signed = made.checkpoint
    output.result(
      """
      \(name): checkpoint of \(signed.count) entries\
      \(against == nil ? "" : ", which continues \(printable(against ?? ""))").
      \(ending(signed, ("root", made.root.text)))\(made.witness.map { "\nwitness \($0.thumbprint)" } ?? "")
      """,
      [
        "valid": true, "entries": .integer(signed.count), "ledger": .string(signed.ledger.text),
        "head": .string(signed.head.text), "root": .string(made.root.text), "time": .integer(signed.time),
        "witness": made.witness.map { .string($0.thumbprint) } ?? .null,
      ])
  }

  func ending(_ signed: EvidenceCheckpoint, _ hash: (name: String, text: String)) -> String {
    """
    ledger \(signed.ledger)\(known.ledger == nil ? "\n       (compare it with your note, or pass it as --ledger)" : "")
    \(hash.name)   \(hash.text)
    signed \(Times.text(Date(millisecondsSince1970: signed.time)))
    """
  }
}
