package import EvidenceLedger
internal import Foundation

/// A signature that is to count, and the session that is opened in the same write.
public struct LedgerProof: Sendable {
  package let signature: AcceptedSignature
  let session: NewSession?

  package init(_ signature: AcceptedSignature, opening session: NewSession? = nil) {
    self.signature = signature
    self.session = session
  }
}

/// What became of a proof.
public struct AcceptedProof: Sendable {
  package let acceptance: SignatureAcceptance

  /// The account of the session that was opened.
  var user: UserRecord?
}

extension EvidenceSQL {
  /// What a proof uses up and changes. The answer is why it does not count; `nil` when it does.
  private static func uses(of proof: LedgerProof) -> SQLQuestion<SignatureAcceptance?> {
    let signature = proof.signature
    let evidence = signature.evidence
    let key = AccountKey(username: evidence.username, realm: evidence.realm)
    let noteUse = SQLStatement(
      noteUse, [Double(evidence.time) / 1000, key.realm, key.name, evidence.device]
    ).decisive
    // Those that count in common.
    let forgetting = LockoutSQL.forget(key, kind: LockoutScope.signatures.kind.rawValue, device: "")
    // The account of a session before the device and the lane, as whoever removes the device or adds one.
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

  /// Accepts proofs that all count, in one order on all servers, so that none waits for a row of the other while that waits for one of
  /// its own. The answer is what became of each.
  ///
  /// It throws ``ProofsRefused``, with nothing changed, when one does not count, what ``append(_:after:_:_:)`` throws, and
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

/// Why proofs do not count, by their indices. Nothing was changed.
package struct ProofsRefused: Error {
  package let refusals: [Int: SignatureAcceptance]
}

extension AcceptedSignature {
  /// The device, in an order that is the same on all servers.
  fileprivate var device: String {
    let key = AccountKey(username: evidence.username, realm: evidence.realm)
    return [key.realm, key.name, evidence.device].joined(separator: "\0")
  }
}
