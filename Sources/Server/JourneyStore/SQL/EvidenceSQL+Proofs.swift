package import EvidenceLedger
internal import Foundation

/// A signature to accept, and the session to open in the same write.
public struct LedgerProof: Sendable {
  package let signature: AcceptedSignature
  let session: NewSession?

  package init(_ signature: AcceptedSignature, opening session: NewSession? = nil) {
    self.signature = signature
    self.session = session
  }
}

/// The outcome of a proof.
public struct AcceptedProof: Sendable {
  package let acceptance: SignatureAcceptance

  /// The account of the session that was opened.
  var user: UserRecord?
}

extension EvidenceSQL {
  /// Consumes a proof and records its use. The answer is the reason for a refusal; `nil` when the proof is accepted.
  private static func uses(of proof: LedgerProof) -> SQLQuestion<SignatureAcceptance?> {
    let signature = proof.signature
    let evidence = signature.evidence
    let key = AccountKey(username: evidence.username, realm: evidence.realm)
    let noteUse = SQLStatement(
      noteUse, [Double(evidence.time) / 1000, key.realm, key.name, evidence.device]
    ).decisive
    // Only the failures that all devices share.
    let forgetting = LockoutSQL.forget(key, kind: LockoutScope.signatures.kind.rawValue, device: "")
    // A session's account is locked before the device and the lane, in the same order as when a device is removed or added.
    let locks = proof.session == nil ? [] : [SQLStatement.hold(key)]
    return SQLQuestion<(Void, Bool, Bool, Bool, Void)>.all(
      .silent(locks), .consuming(signature.step), noteUse.isDone, .consuming(signature.once),
      .silent(signature.forgetsFailures ? [forgetting] : [])
    ).map { _, isFirst, isThere, isNew, _ in
      isFirst ? isThere ? isNew ? nil : .replayed : .noSuchDevice : .answeredBefore
    }
  }

  private static let noteUse: SQL = """
    UPDATE bound_devices SET last_access_date = \(.greatest)(last_access_date, ?)
      WHERE realm_key = ? AND name_key = ? AND uuid = ?
    """

  /// Accepts all of the proofs or none, in an order that is the same on all servers, so that they do not deadlock. The answer has the
  /// outcome of each proof.
  ///
  /// Throws ``ProofsRefused``, with nothing changed, when a proof is refused; what ``append(_:after:_:_:)`` throws; and
  /// ``StoreError/missing(_:)`` when a session cannot be opened.
  package static func accept(
    _ proofs: [LedgerProof], in lane: EvidenceLane, of ledger: SealedLedger, _ quotas: StoreQuotas
  ) -> SQLOperation<[AcceptedProof]> {
    let devices = proofs.map(\.signature.device)
    let order = devices.indices.sorted { devices[$0] < devices[$1] }
    let uses = SQLQuestion.each(order.map { Self.uses(of: proofs[$0]) }).map {
      let refusals = zip(order, $0).compactMap { index, refusal in refusal.map { (index, $0) } }
      guard refusals.isEmpty else {
        throw ProofsRefused(refusals: Dictionary(uniqueKeysWithValues: refusals))
      }
    }
    return .ask(.all(uses, head(lane, of: ledger))) { _, head in
      let entries = try append(order.map { proofs[$0].signature.evidence }, after: head, ledger, quotas)
      let users = order.map { index -> SQLQuestion<UserRecord?> in
        guard let session = proofs[index].session else { return .known(nil) }
        return SQLQuestion<UserRecord>.session(session, quotas).map { $0 }
      }
      return .next(
        .ask(.all(entries, .each(users))) { numbers, users in
          let accepted = zip(numbers, users).map {
            AcceptedProof(acceptance: .accepted(evidence: $0), user: $1)
          }
          return .done(zip(order, accepted).sorted { $0.0 < $1.0 }.map(\.1))
        })
    }
  }
}

/// The reasons for refusing proofs, by the index of the proof. Nothing was changed.
package struct ProofsRefused: Error {
  package let refusals: [Int: SignatureAcceptance]
}

extension AcceptedSignature {
  /// A key that sorts devices in the same order on all servers.
  fileprivate var device: String {
    let key = AccountKey(username: evidence.username, realm: evidence.realm)
    return [key.realm, key.name, evidence.device].joined(separator: "\0")
  }
}
