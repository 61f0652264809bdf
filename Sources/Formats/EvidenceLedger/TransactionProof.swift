internal import BindingFormats
internal import JOSE
internal import SigningTransactions
internal import StrictJSON

/// The extent to which the device's signature in an entry covers the entry's transaction.
public enum TransactionProof: String, Sendable, Hashable, CaseIterable {
  /// All of it: the fields give the signed challenge, and the signed claim `txn` says that the device showed them.
  case txn

  /// The fields give the signed challenge, but the device does not say that it showed them: the application accepts such proofs.
  case plain

  /// None of it: an object that a journey put next to the signature.
  case none

  /// Entry and signature contradict each other. ``EvidenceEntry/verifySignature(allowsPlainProofs:)`` says how.
  case contradicted
}

extension EvidenceEntry {
  /// What the entry's token says, before its signature is verified; `nil` without a token that can be read.
  var unverifiedClaims: JSONObject? {
    let token = try? UnverifiedJWS(compact: record.jws, limits: .withCertificates)
    return token.flatMap { try? JSONObject(parsing: $0.payload) }
  }

  /// How far the signature covers ``EvidenceRecord/transaction``; `nil` without one.
  ///
  /// It compares what the entry says with what its token says, but does not verify the signature:
  /// ``verifySignature(allowsPlainProofs:)`` does.
  public var transactionProof: TransactionProof? {
    guard let claims = unverifiedClaims else { return record.transaction == nil ? nil : .contradicted }
    do throws(EvidenceFault) {
      return try transactionProof(by: claims, allowsPlainProofs: true)
    } catch {
      return .contradicted
    }
  }

  /// Compares the transaction of the entry with signed claims.
  ///
  /// - Parameter allowsPlainProofs: Whether the claim `txn` may be missing even if the entry does not say that the application accepts
  ///   such proofs.
  /// - Throws: ``EvidenceFault`` of kind ``EvidenceFault/Kind/signature`` when they contradict each other.
  func transactionProof(
    by claims: JSONObject, allowsPlainProofs: Bool
  ) throws(EvidenceFault) -> TransactionProof? {
    let claim = claims[ProofClaim.transaction]
    guard let transaction = record.transaction, OfferedTransaction.isClaimed(by: transaction) else {
      guard claim == nil else {
        throw fault(
          "the signature approves a transaction (txn), and the entry has none with fields and nonce")
      }
      return record.transaction.map { _ in TransactionProof.none }
    }
    guard let offer = OfferedTransaction(json: transaction), record.kind == .sign else {
      throw fault("no device could have been shown its transaction")
    }
    guard claims[ProofClaim.challenge]?.stringValue?.hasSameBytes(as: offer.challenge) == true else {
      throw fault("the signed challenge is not that of the transaction's fields and nonce")
    }
    guard let claim else {
      guard allowsPlainProofs || transaction[OfferedTransaction.plainProofs]?.boolValue == true else {
        throw fault("the signature does not say that the transaction was shown (txn)")
      }
      return .plain
    }
    guard claim.stringValue?.hasSameBytes(as: offer.id) == true else {
      throw fault("the signature approves another transaction (txn)")
    }
    return .txn
  }
}
