internal import BindingFormats
public import SigningTransactions
internal import StrictJSON

/// The subject of an entry's signature, in terms that people use.
public enum SignedStatement: Sendable, Hashable {
  /// A transaction whose fields the signature covers.
  case transaction(Transaction, id: String)

  /// A text that a person could read.
  case text(String)

  /// A random challenge: somebody signed in, or confirmed who they are.
  case signIn

  /// A new key was bound to the account.
  case binding

  /// An authority certified a key for the account; its serial number and principals in words.
  case certificate(String)

  /// Reads what the entry's token and transaction say. It compares them, but does not verify the signature:
  /// ``EvidenceEntry/verifySignature(allowsPlainProofs:)`` does.
  public init(_ entry: EvidenceEntry) {
    guard entry.record.kind != .bind else {
      self = .binding
      return
    }
    if [.txn, .plain].contains(entry.transactionProof),
      let offer = entry.record.transaction.flatMap({ OfferedTransaction(json: $0) })
    {
      self = .transaction(offer.transaction, id: offer.id)
      return
    }
    let challenge = entry.unverifiedClaims?[ProofClaim.challenge]?.stringValue ?? ""
    guard entry.record.kind == .sign else {
      self = .certificate(challenge)
      return
    }
    self = challenge.isEmpty || Challenge.isReserved(challenge) ? .signIn : .text(challenge)
  }
}

extension EvidenceEntry {
  /// The claims that the application signed beside the protocol's, such as `amount 10, shop 7`; `nil` when there are none. The person was
  /// not asked about them.
  public var applicationClaims: String? {
    let own = (unverifiedClaims ?? [:]).filter { !ProofClaim.all.contains($0.name) }
    return own.isEmpty
      ? nil : own.map { "\($0.name) \($0.value.stringValue ?? $0.value.text)" }.joined(separator: ", ")
  }
}

extension Transaction {
  /// The transaction in one line: amount and payee where it has them, else its text or account. `{amount}` and `{payee}` are replaced
  /// in `pattern`, which depends on the language, such as `{amount} to {payee}`.
  public func summary(pattern: String) -> String {
    let sum = amount.map { "\($0) \(currency ?? "")" }
    switch (sum, payee ?? account) {
    case (let sum?, let payee?):
      // Split first: a payee may be called {amount}.
      return pattern.split(separator: "{amount}", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.replacing("{payee}", with: payee) }.joined(separator: sum)
    case (let only?, nil), (nil, let only?): return only
    case (nil, nil): return text ?? ""
    }
  }
}
