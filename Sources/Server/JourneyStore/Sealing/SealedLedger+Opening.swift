extension SealedLedger {
  /// Returns the server key and the ledger of a database that is being opened, and makes both for a new database; in a transaction that
  /// keeps others from opening it.
  ///
  /// Throws ``StoreError/corrupt(_:)`` when the key belongs to another database, or the ledger was removed or is another one than before,
  /// ``StoreError/unavailable(_:)`` when the key is missing.
  ///
  /// - Parameters:
  ///   - isOlder: Whether the database is from before there was a ledger, and may have content without one.
  ///   - isStrict: Whether a ledger that cannot sign is refused.
  ///   - makeKey: returns the server key; its argument says whether a new key may be made.
  package static func opening(
    _ mark: LedgerMark?, isOlder: Bool = false, isStrict: Bool = true,
    randomBytes: @escaping @Sendable (Int) -> [UInt8],
    key makeKey: @escaping @Sendable (_ mayCreate: Bool) throws -> ServerKey
  ) -> SQLOperation<(ServerKey, SealedLedger)> {
    let instant = ContinuousClock.now
    let questions = SQLQuestion<(String?, [UInt8]?, Bool, [ServerKeyEntry], Bool)>.all(
      SQLStatement("SELECT header FROM evidence_ledger WHERE id = 1").row(of: "evidence_ledger") {
        try $0.text()
      },
      ServerKeySQL.sealedSecret(keyName), SQLStatement("SELECT EXISTS (SELECT 1 FROM server_secrets)").flag,
      ServerKeySQL.entries, LedgerMark.hasContent)
    return .ask(questions) { line, sealed, hasSecrets, entries, hasContent in
      let key = try makeKey(!hasSecrets)
      try key.take(entries, askedAt: instant)
      try key.requireCurrent()
      // Only the right key opens it.
      if line != nil, isStrict { _ = try signer(sealed, serverKey: key) }
      let known = try line.map { try SealedLedger(line: $0, serverKey: key) }
      try mark?.check(known?.fingerprint, key)
      guard known != nil || isOlder || !hasContent else { throw LedgerMark.isMissing }
      let (ledger, changes) =
        try known.map { ($0, []) } ?? create(serverKey: key, randomBytes: randomBytes)
      guard key.entries.isEmpty else { return .done((key, ledger), changes) }
      return .next(try register(key, sealed, after: changes).then { .done((key, ledger)) })
    }
  }

  /// Registers the key of a database that has none registered: the key that opens what is there.
  private static func register(
    _ key: ServerKey, _ sealed: [UInt8]?, after changes: [SQLStatement]
  ) throws -> SQLOperation<Void> {
    let id: String? = sealed.map { key.id(opening: $0, named: keyName) } ?? key.loaded.first?.id
    // Throws an error that says what is wrong.
    if id == nil { _ = try signer(sealed, serverKey: key) }
    let instant = ContinuousClock.now
    let registration = SQLStatement(ServerKeySQL.register, [id])
    return .ask(.all(.silent(changes + [registration]), ServerKeySQL.entries)) { _, entries in
      try key.take(entries, askedAt: instant)
      return .done(())
    }
  }
}
