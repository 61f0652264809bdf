internal import Concurrency
package import EvidenceLedger
internal import Foundation
package import JourneyStore

extension PostgresStore {
  /// Together with the other proofs that wait, those left out that do not count, so that nobody's proof fails because of another's, and none
  /// is slow because of one.
  package func accept(_ signature: AcceptedSignature) async throws -> SignatureAcceptance {
    try await proofs.accept(signature) { [self] in await accept($0) }
  }

  private func accept(_ signatures: [AcceptedSignature]) async -> [SharedProofs.Outcome] {
    guard signatures.count > 1 else {
      var outcomes: [SharedProofs.Outcome] = []
      for signature in signatures {
        do { outcomes.append(.success(try await acceptAlone(signature))) } catch {
          outcomes.append(.failure(error))
        }
      }
      return outcomes
    }
    do {
      return try await acceptTogether(signatures).map { .success(.accepted(evidence: $0)) }
    } catch let error as NotTogether {
      return await accept(signatures, in: error.parts(of: signatures.count))
    } catch {
      // What has nothing to do with a proof, such as a lost connection, is the same for all.
      return signatures.map { _ in .failure(error) }
    }
  }

  /// Each part in a transaction of its own, or in several if it must be.
  ///
  /// - Parameter parts: all indices of `signatures`, each once.
  private func accept(_ signatures: [AcceptedSignature], in parts: [[Int]]) async -> [SharedProofs.Outcome] {
    var outcomes: [Int: SharedProofs.Outcome] = [:]
    for part in parts {
      for (index, outcome) in zip(part, await accept(part.map { signatures[$0] })) {
        outcomes[index] = outcome
      }
    }
    return signatures.indices.map {
      outcomes[$0] ?? .failure(StoreError.unavailable("a proof was in no transaction"))
    }
  }

  /// The numbers of their entries.
  ///
  /// - Throws: ``NotTogether`` when one of them does not count, or cannot be kept; nothing is changed then.
  private func acceptTogether(_ signatures: [AcceptedSignature]) async throws -> [Int64] {
    // In one order on all servers, so that none waits for a row of the other while that waits for one of its own.
    let devices = signatures.map(\.device)
    let order = devices.indices.sorted { devices[$0] < devices[$1] }
    let numbers = try await writeOrUndo("the evidence of \(signatures.count) signatures") {
      [ledger, quotas] transaction, lane in
      do {
        let uses = order.map { EvidenceSQL.uses(of: signatures[$0]) }
        var answers = try await transaction.run(uses.flatMap(\.self) + EvidenceSQL.head(lane))
        var refused: [Int] = []
        for (index, use) in zip(order, uses) {
          if SignatureAcceptance(refusing: signatures[index], answers.prefix(use.count)) != nil {
            refused.append(index)
          }
          answers.removeFirst(use.count)
        }
        guard refused.isEmpty else { throw NotTogether(refused: refused) }
        return try await transaction.append(
          order.map { signatures[$0].evidence }, after: ledger.head(answers, lane), ledger, quotas)
      } catch let error as PostgresError where error.isAboutValues {
        throw NotTogether()
      } catch is NotKept {
        throw NotTogether()
      }
    }
    let byIndex = Dictionary(uniqueKeysWithValues: zip(order, numbers))
    return signatures.indices.compactMap { byIndex[$0] }
  }

  private func acceptAlone(_ signature: AcceptedSignature) async throws -> SignatureAcceptance {
    try await writeOrUndo("the evidence of \(signature.evidence.username)") {
      [ledger, quotas] transaction, lane in
      let answers = try await transaction.run(EvidenceSQL.uses(of: signature) + EvidenceSQL.head(lane))
      if let refusal = SignatureAcceptance(refusing: signature, answers[...]) {
        throw Undone(answer: refusal)
      }
      let number = try await transaction.append(
        signature.evidence, after: ledger.head(answers, lane), ledger, quotas)
      return .accepted(evidence: number)
    }
  }

  package func addBoundDevice(
    _ device: BoundDeviceRecord, limit: DeviceLimit, evidence: EvidenceRecord, once: OnceKey
  ) async throws -> BoundDeviceAddition {
    try await writeOrUndo("the device \(device.uuid) of \(device.username)") {
      [ledger, quotas, serverKey] transaction, lane in
      let addition = BoundDeviceAddition(
        try await transaction.add(device, to: .bound, limit: quotas.deviceLimit(limit), serverKey))
      guard addition == .added else { return addition }
      let answers = try await transaction.run(
        [OnceSQL.consume(once.key, until: once.expiry)] + EvidenceSQL.head(lane))
      guard answers[0].count == 1 else { throw Undone(answer: BoundDeviceAddition.replayed) }
      _ = try await transaction.append(evidence, after: ledger.head(answers, lane), ledger, quotas)
      return addition
    }
  }

  package func addEvidence(_ record: EvidenceRecord, once: OnceKey) async throws -> Int64? {
    try await writeOrUndo("the evidence of \(record.username)") { [ledger, quotas] transaction, lane in
      let answers = try await transaction.run(
        [OnceSQL.consume(once.key, until: once.expiry)] + EvidenceSQL.head(lane))
      guard answers[0].count == 1 else { throw Undone(answer: Int64?.none) }
      return try await transaction.append(record, after: ledger.head(answers, lane), ledger, quotas)
    }
  }

  /// What ``write(_:_:)`` returns, or the answer of ``Undone``, with nothing changed, when `body` throws it.
  private func writeOrUndo<Value: Sendable>(
    _ subject: @autoclosure () -> String,
    _ body: @Sendable (PostgresTransaction, EvidenceLane) async throws -> Value
  ) async throws -> Value {
    let lane = lanes.take()
    defer { lanes.giveBack(lane) }
    do { return try await write(subject()) { try await body($0, lane) } } catch let undone as Undone<Value> {
      return undone.answer
    }
  }

  package func evidence(number: Int64) async throws -> EvidenceEntry? {
    try await read("SELECT number, line FROM evidence WHERE number = ? AND line <> ''", [number])
      .all("evidence", SealedLedger.entry).first
  }

  package func evidence(_ query: EvidenceQuery) async throws -> [EvidenceEntry] {
    let key = AccountKey(username: query.username ?? "", realm: query.realm ?? "")
    var values: StatementValues = [
      "before": query.before ?? Int64.max, "realm": query.realm.map { _ in key.realm },
      "name": query.realm.flatMap { _ in query.username }.map { _ in key.name }, "since": query.since,
      "until": query.until, "kind": query.kind, "limit": max(0, query.limit), "offset": max(0, query.offset),
    ]
    guard query.realm != nil, query.username != nil, let id = query.accountID else {
      return try await read(EvidenceSQL.page(of: EvidenceSQL.anybody), values).all(
        "evidence", SealedLedger.entry)
    }
    values = values + ["account": id]
    return try await read(EvidenceSQL.page(of: EvidenceSQL.account), values).all(
      "evidence", SealedLedger.entry)
  }
}

/// Thrown to undo what a transaction has written.
struct Undone<Answer: Sendable>: Error {
  let answer: Answer
}

/// Which lanes of the ledger the proofs of this server are using at the moment. Other servers use the same ones: what they meet in
/// is the lock of a lane's row, so a collision costs time and nothing else.
final class LedgerLanes: Sendable {
  private let users: Locked<[Int]>
  private let isSingle: Bool

  init(_ count: Int) {
    isSingle = count <= 1
    users = Locked(Array(repeating: 0, count: min(max(count, 1), Int(EvidenceLane.maximum))))
  }

  /// The lane with the fewest users, beginning the search anywhere so that several servers spread.
  func take() -> EvidenceLane {
    guard !isSingle else { return .first }
    let index = users.withLock { users in
      let start = Int.random(in: 0..<users.count)
      let order = (0..<users.count).map { (start + $0) % users.count }
      let index = order.min { users[$0] < users[$1] } ?? 0
      users[index] += 1
      return index
    }
    return EvidenceLane(Int64(index + 1)) ?? .first
  }

  func giveBack(_ lane: EvidenceLane) {
    guard lane != .first else { return }
    users.withLock { $0[Int(lane.index) - 1] -= 1 }
  }
}

extension SealedLedger {
  /// The end of the lane's chain, if the seal says that it is the end.
  ///
  /// - Parameter answers: those of ``EvidenceSQL/head(_:)`` last.
  func head(_ answers: [Answer], _ lane: EvidenceLane) throws -> Head {
    let heads = try answers.last?.all("evidence_ledger") { try head($0, of: lane) }
    return try heads?.first ?? head(nil, of: lane)
  }

  /// The ends of all lanes at one moment, in ascending order.
  ///
  /// - Parameter answers: those of ``EvidenceSQL/heads``.
  func heads(_ answers: [Answer]) throws -> [Head] {
    let heads = try answers.last?.all("evidence_lanes") { row in
      guard let lane = EvidenceLane(Int64(try row.integer("lane"))) else {
        throw StoreError.corrupt("table evidence_lanes: there is no such lane")
      }
      return try head(row, of: lane)
    }
    guard let heads, heads.first?.lane == .first else { return [try head(nil, of: .first)] }
    return heads
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
    do {
      return try await append([record], after: head, ledger, quotas).first ?? head.number
    } catch let error as NotKept {
      throw error.reason
    }
  }

  /// Chains the records to `head`, one to the other.
  ///
  /// - Throws: ``NotKept`` for a record that is too large, or whose account has added all that it may.
  fileprivate func append(
    _ records: [EvidenceRecord], after head: SealedLedger.Head, _ ledger: SealedLedger, _ quotas: StoreQuotas
  ) async throws -> [Int64] {
    var head = head
    var numbers: [Int64] = []
    var statements: [Statement] = []
    /// What each statement is charged for; the others charge nobody.
    var charged: [(charge: SealedLedger.Charge, bytes: Int)?] = []
    for record in records {
      let entry: EvidenceEntry
      do { entry = try SealedLedger.entry(record, after: head) } catch { throw NotKept(reason: error) }
      let account = AccountKey(username: record.username, realm: record.realm)
      let (day, bytes) = (SealedLedger.day(of: record), entry.line.count)
      for charge in SealedLedger.charges(for: record, quotas) {
        statements.append(
          Statement(EvidenceSQL.use, [charge.realm, charge.name, day, bytes, charge.limit]))
        charged.append((charge, bytes))
      }
      statements.append(
        .insert(
          [
            "number": entry.number, "realm_key": account.realm, "name_key": account.name,
            "account_id": record.accountID,
            "line": String(decoding: entry.line, as: UTF8.self), "hash": entry.hash.bytes,
          ], into: "evidence"))
      charged.append(nil)
      numbers.append(entry.number)
      head = SealedLedger.Head(entry, in: head.lane)
    }
    let seal = try ledger.seal(head)
    let answers = try await run(statements + [EvidenceSQL.end(head.lane, head.number, seal: seal)])
    guard answers.last?.count == 1 else { throw OutdatedKey(retired: seal.key) }
    for case (let use?, let answer) in zip(charged, answers)
    where use.bytes > use.charge.limit || answer.count != 1 {
      throw NotKept(reason: use.charge.exhausted)
    }
    return numbers
  }
}

/// One of the proofs that were to share a transaction does not count, or its evidence cannot be kept.
struct NotTogether: Error {
  /// Which do not count; empty when it is not known which ones are to blame.
  var refused: [Int] = []

  /// Transactions in which `count` proofs are tried next: those that counted together, each other one alone; else each half.
  func parts(of count: Int) -> [[Int]] {
    guard !refused.isEmpty else { return [Array(0..<count / 2), Array(count / 2..<count)] }
    let alone = Set(refused)
    return ([(0..<count).filter { !alone.contains($0) }] + refused.map { [$0] }).filter { !$0.isEmpty }
  }
}

/// A record that the ledger does not take.
private struct NotKept: Error {
  let reason: any Error
}

extension AcceptedSignature {
  /// The device, in an order that is the same on all servers.
  fileprivate var device: String {
    let key = AccountKey(username: evidence.username, realm: evidence.realm)
    return [key.realm, key.name, evidence.device].joined(separator: "\0")
  }
}

extension SignatureAcceptance {
  /// Why the proof does not count; `nil` when it does.
  ///
  /// - Parameter answers: those of ``EvidenceSQL/uses(of:)`` first.
  fileprivate init?(refusing signature: AcceptedSignature, _ answers: ArraySlice<Answer>) {
    var answers = answers
    if signature.step != nil, answers.removeFirst().count != 1 {
      self = .answeredBefore
    } else if answers.removeFirst().count != 1 {
      self = .noSuchDevice
    } else if answers.removeFirst().count != 1 {
      self = .replayed
    } else {
      return nil
    }
  }
}

enum EvidenceSQL {
  /// What a proof uses up and changes. The answers say whether it counts: ``SignatureAcceptance/init(refusing:_:)``.
  static func uses(of signature: AcceptedSignature) -> [Statement] {
    let evidence = signature.evidence
    let key = AccountKey(username: evidence.username, realm: evidence.realm)
    var statements = [
      Statement(noteUse, [Double(evidence.time) / 1000, key.realm, key.name, evidence.device]),
      OnceSQL.consume(signature.once.key, until: signature.once.expiry),
    ]
    if let step = signature.step {
      statements.insert(OnceSQL.consume(step.key, until: step.expiry), at: 0)
    }
    if signature.forgetsFailures {
      statements.append(Statement(forgetSignatures, [key.realm, key.name]))
    }
    return statements
  }

  static let noteUse = """
    UPDATE bound_devices SET last_access_date = greatest(last_access_date, ?)
      WHERE realm_key = ? AND name_key = ? AND uuid = ?
    """

  /// Those that count in common.
  static let forgetSignatures =
    "DELETE FROM lockouts WHERE realm_key = ? AND name_key = ? AND kind = 'signatures' AND device = ''"

  /// The lane is locked first. The end of its chain is a statement of its own, because one that waits for a lock sees other
  /// rows as they were before.
  static func head(_ lane: EvidenceLane) -> [Statement] {
    guard lane != .first else {
      return [
        Statement("SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE"),
        Statement(
          """
          SELECT seal, number, hash FROM evidence_ledger LEFT JOIN evidence
            ON number = (SELECT max(number) FROM evidence WHERE number < ?)
          """, [EvidenceLane.lowest]),
      ]
    }
    return [
      Statement("SELECT lane FROM evidence_lanes WHERE lane = ? FOR NO KEY UPDATE", [lane.index]),
      Statement(
        """
        SELECT seal, number, hash FROM evidence_lanes LEFT JOIN evidence ON \(isEnd) WHERE lane = ?
        """, [lane.index]),
    ]
  }

  /// In an empty lane `last` is below 64, which may be the number of an entry in lane 0.
  private static let isEnd = "number = last AND last >= \(EvidenceLane.lowest)"

  /// The ends of all lanes, in one statement, which sees one moment.
  static let heads = Statement(
    """
    SELECT 0::bigint AS lane, seal, number, hash FROM evidence_ledger LEFT JOIN evidence
      ON number = (SELECT max(number) FROM evidence WHERE number < ?)
    UNION ALL SELECT lane, seal, number, hash FROM evidence_lanes LEFT JOIN evidence ON \(isEnd)
    ORDER BY lane
    """, [EvidenceLane.lowest])

  /// Notes the new end of a lane. Changes nothing when the seal's key is retired: retiring it holds the lane's lock.
  static func end(_ lane: EvidenceLane, _ number: Int64, seal: ServerKey.Code) -> Statement {
    lane == .first
      ? Statement(
        "UPDATE evidence_ledger SET seal = ?1 WHERE id = 1 AND \(KeyFence.isNotRetired("?2"))",
        [seal.bytes, seal.key])
      : Statement(
        "UPDATE evidence_lanes SET last = ?1, seal = ?2 WHERE lane = ?3 AND \(KeyFence.isNotRetired("?4"))",
        [number, seal.bytes, lane.index, seal.key])
  }

  /// Entries of one lane after a number, up to another.
  static func part(_ lane: EvidenceLane, after: Int64, upTo last: Int64, limit: Int) -> Statement {
    lane == .first
      ? Statement(
        "SELECT number, line, hash FROM evidence WHERE number > ? AND number <= ? ORDER BY number LIMIT ?",
        [after, last, limit])
      : Statement(
        """
        SELECT number, line, hash FROM evidence WHERE number & \(EvidenceLane.maximum) = ? AND number > ? AND number <= ?
          AND number >= \(EvidenceLane.lowest) ORDER BY number LIMIT ?
        """, [lane.index, after, last, limit])
  }

  /// ?1 realm, ?2 name, ?3 day, ?4 bytes of an entry, ?5 bytes of a day. Changes nothing when they are used up. A day that
  /// is over does not come again, even if a clock is set back.
  static let use = """
    INSERT INTO evidence_use AS known (realm_key, name_key, day, bytes) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (realm_key, name_key) DO UPDATE SET
      bytes = CASE WHEN ?3 > known.day THEN ?4 ELSE known.bytes + ?4 END, day = greatest(known.day, ?3)
    WHERE ?3 > known.day OR known.bytes + ?4 <= ?5
    """

  /// Times are not quite in the order of numbers: several servers have several clocks.
  ///
  /// - Parameter owner: the condition that says whose.
  static func page(of owner: String) -> String {
    """
    SELECT number, line FROM evidence WHERE number < :before AND line <> '' AND \(owner)
      AND (:since IS NULL OR (nullif(line, '')::json->>'time')::bigint >= :since)
      AND (:until IS NULL OR (nullif(line, '')::json->>'time')::bigint < :until)
      AND (:kind IS NULL OR nullif(line, '')::json->>'kind' = :kind)
      ORDER BY number DESC LIMIT :limit OFFSET :offset
    """
  }

  static let anybody =
    "(:realm IS NULL OR realm_key = :realm) AND (:name IS NULL OR name_key = :name)"

  /// Entries that servers of earlier versions wrote have no id.
  static let account = """
    realm_key = :realm AND name_key = :name AND (account_id = :account OR (account_id IS NULL
      AND (nullif(line, '')::json->>'time')::bigint >= floor(\(SharedSQL.creation) * 1000)))
    """
}
