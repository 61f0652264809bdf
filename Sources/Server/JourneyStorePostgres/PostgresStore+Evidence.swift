package import EvidenceLedger
internal import Foundation
package import JourneyStore

extension PostgresStore {
  package func accept(_ signature: AcceptedSignature) async throws -> SignatureAcceptance {
    let evidence = signature.evidence
    let key = AccountKey(username: evidence.username, realm: evidence.realm)
    return try await writeOrUndo("the evidence of \(evidence.username)") { [ledger, quotas] transaction in
      var statements = [
        Statement(EvidenceSQL.noteUse, [Double(evidence.time) / 1000, key.realm, key.name, evidence.device]),
        OnceSQL.consume(signature.once.key, until: signature.once.expiry),
      ]
      if signature.forgetsFailures {
        statements.append(Statement(EvidenceSQL.forgetSignatures, [key.realm, key.name]))
      }
      let answers = try await transaction.run(statements + EvidenceSQL.head)
      guard answers[0].count == 1 else { throw Undone(answer: SignatureAcceptance.noSuchDevice) }
      guard answers[1].count == 1 else { throw Undone(answer: SignatureAcceptance.replayed) }
      let number = try await transaction.append(evidence, after: ledger.head(answers), ledger, quotas)
      return .accepted(evidence: number)
    }
  }

  package func addBoundDevice(
    _ device: BoundDeviceRecord, limit: DeviceLimit, evidence: EvidenceRecord, once: OnceKey
  ) async throws -> BoundDeviceAddition {
    try await writeOrUndo("the device \(device.uuid) of \(device.username)") {
      [ledger, quotas, serverKey] transaction in
      let addition = BoundDeviceAddition(
        try await transaction.add(device, to: .bound, limit: quotas.deviceLimit(limit), serverKey))
      guard addition == .added else { return addition }
      let answers = try await transaction.run(
        [OnceSQL.consume(once.key, until: once.expiry)] + EvidenceSQL.head)
      guard answers[0].count == 1 else { throw Undone(answer: BoundDeviceAddition.replayed) }
      _ = try await transaction.append(evidence, after: ledger.head(answers), ledger, quotas)
      return addition
    }
  }

  package func addEvidence(_ record: EvidenceRecord, once: OnceKey) async throws -> Int64? {
    try await writeOrUndo("the evidence of \(record.username)") { [ledger, quotas] transaction in
      let answers = try await transaction.run(
        [OnceSQL.consume(once.key, until: once.expiry)] + EvidenceSQL.head)
      guard answers[0].count == 1 else { throw Undone(answer: Int64?.none) }
      return try await transaction.append(record, after: ledger.head(answers), ledger, quotas)
    }
  }

  /// What ``write(_:_:)`` returns, or the answer of ``Undone``, with nothing changed, when `body` throws it.
  private func writeOrUndo<Value: Sendable>(
    _ subject: @autoclosure () -> String, _ body: @Sendable (PostgresTransaction) async throws -> Value
  ) async throws -> Value {
    do { return try await write(subject(), body) } catch let undone as Undone<Value> { return undone.answer }
  }

  package func evidence(number: Int64) async throws -> EvidenceEntry? {
    try await read("SELECT number, line FROM evidence WHERE number = ?", [number])
      .all("evidence", SealedLedger.entry).first
  }

  package func evidence(_ query: EvidenceQuery) async throws -> [EvidenceEntry] {
    try await read(EvidenceSQL.page, query.pageValues).all("evidence", SealedLedger.entry)
  }
}

extension EvidenceQuery {
  /// The values of ``EvidenceSQL/page``.
  var pageValues: StatementValues {
    let key = AccountKey(username: username ?? "", realm: realm ?? "")
    return [
      "before": before ?? Int64.max, "realm": realm.map { _ in key.realm },
      "name": realm.flatMap { _ in username }.map { _ in key.name }, "since": since, "until": until,
      "kind": kind, "limit": max(0, limit), "offset": max(0, offset),
    ]
  }
}

/// Thrown to undo what a transaction has written.
struct Undone<Answer: Sendable>: Error {
  let answer: Answer
}

extension SealedLedger {
  /// The end of the chain, if the seal says that it is the end.
  ///
  /// - Parameter answers: those of ``EvidenceSQL/head`` last.
  func head(_ answers: [Answer]) throws -> Head {
    let heads = try answers.last?.all("evidence_ledger") { try head($0) }
    return try heads?.first ?? head(StoredRow?.none)
  }
}

extension PostgresTransaction {
  /// Chains the record to `head`. Whoever asked for that holds the ledger's lock until the end of the transaction.
  ///
  /// - Throws: ``StoreError/exhausted(_:)`` when the account has added all that it may today, and the clock that counts is
  ///   the record's.
  fileprivate func append(
    _ record: EvidenceRecord, after head: SealedLedger.Head, _ ledger: SealedLedger, _ quotas: StoreQuotas
  ) async throws -> Int64 {
    let entry = try SealedLedger.entry(record, after: head)
    let account = AccountKey(username: record.username, realm: record.realm)
    let (day, bytes) = (SealedLedger.day(of: record), entry.line.count)
    let charges = SealedLedger.charges(for: record, quotas)
    let uses = charges.map { charge in
      Statement(EvidenceSQL.use, [charge.realm, charge.name, day, bytes, charge.limit])
    }
    let answers = try await run(
      uses + [
        .insert(
          [
            "number": entry.number, "realm_key": account.realm, "name_key": account.name,
            "line": String(decoding: entry.line, as: UTF8.self), "hash": entry.hash.bytes,
          ], into: "evidence"),
        Statement(
          "UPDATE evidence_ledger SET seal = ? WHERE id = 1",
          [ledger.seal(endingWith: entry)]),
      ])
    for (charge, answer) in zip(charges, answers) where bytes > charge.limit || answer.count != 1 {
      throw charge.exhausted
    }
    return entry.number
  }
}

enum EvidenceSQL {
  static let noteUse = """
    UPDATE bound_devices SET last_access_date = greatest(last_access_date, ?)
      WHERE realm_key = ? AND name_key = ? AND uuid = ?
    """

  /// Those that count in common.
  static let forgetSignatures =
    "DELETE FROM lockouts WHERE realm_key = ? AND name_key = ? AND kind = 'signatures' AND device = ''"

  /// The ledger is locked first. The end of the chain is a statement of its own, because one that waits for a lock sees other
  /// rows as they were before.
  static let head = [
    Statement("SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE"),
    Statement(
      """
      SELECT seal, number, hash FROM evidence_ledger LEFT JOIN evidence
        ON number = (SELECT max(number) FROM evidence)
      """),
  ]

  /// ?1 realm, ?2 name, ?3 day, ?4 bytes of an entry, ?5 bytes of a day. Changes nothing when they are used up. A day that
  /// is over does not come again, even if a clock is set back.
  static let use = """
    INSERT INTO evidence_use AS known (realm_key, name_key, day, bytes) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (realm_key, name_key) DO UPDATE SET
      bytes = CASE WHEN ?3 > known.day THEN ?4 ELSE known.bytes + ?4 END, day = greatest(known.day, ?3)
    WHERE ?3 > known.day OR known.bytes + ?4 <= ?5
    """

  /// Times are not quite in the order of numbers: several servers have several clocks.
  static let page = """
    SELECT number, line FROM evidence WHERE number < :before
      AND (:realm IS NULL OR realm_key = :realm) AND (:name IS NULL OR name_key = :name)
      AND (:since IS NULL OR (line::json->>'time')::bigint >= :since)
      AND (:until IS NULL OR (line::json->>'time')::bigint < :until)
      AND (:kind IS NULL OR line::json->>'kind' = :kind)
      ORDER BY number DESC LIMIT :limit OFFSET :offset
    """
}
