public import EvidenceLedger
public import Foundation
internal import GRDB

extension SQLiteStore {
  public func accept(_ signature: AcceptedSignature) async throws -> SignatureAcceptance {
    let evidence = signature.evidence
    let key = AccountKey(username: evidence.username, realm: evidence.realm)
    do {
      return try await write("the evidence of \(evidence.username)") { [ledger] db in
        // First, so that nothing is to be undone.
        if let step = signature.step, try !Self.consume(step.key, until: step.expiry, in: db) {
          return .answeredBefore
        }
        let isThere = try db.change(
          """
          UPDATE bound_devices SET last_access_date = max(last_access_date, ?)
            WHERE realm_key = ? AND name_key = ? AND uuid = ?
          """, [Double(evidence.time) / 1000, key.realm, key.name, evidence.device])
        guard isThere == 1 else { throw NotAccepted(answer: .noSuchDevice) }
        guard try Self.consume(signature.once.key, until: signature.once.expiry, in: db) else {
          throw NotAccepted(answer: .replayed)
        }
        if signature.forgetsFailures {
          try Self.forgetFailures(of: key, .signatures, in: db)
        }
        return .accepted(evidence: try ledger.append(evidence, to: db))
      }
    } catch let refused as NotAccepted {
      return refused.answer
    }
  }

  public func addBoundDevice(
    _ device: BoundDeviceRecord, limit: DeviceLimit, evidence: EvidenceRecord, once: OnceKey
  ) async throws -> BoundDeviceAddition {
    let answer: BoundDeviceAddition? = try await unlessReplayed(
      "the device \(device.uuid) of \(device.username)"
    ) { [ledger, quotas, serverKey] db in
      let addition = BoundDeviceAddition(
        try DeviceTable.bound.add(device, limit: quotas.deviceLimit(limit), serverKey, in: db))
      guard addition == .added else { return addition }
      try Self.consume(once, in: db)
      _ = try ledger.append(evidence, to: db)
      return addition
    }
    return answer ?? .replayed
  }

  public func addEvidence(_ record: EvidenceRecord, once: OnceKey) async throws -> Int64? {
    try await unlessReplayed("the evidence of \(record.username)") { [ledger] db in
      try Self.consume(once, in: db)
      return try ledger.append(record, to: db)
    }
  }

  /// Thrown to undo what a transaction has written before it found that its proof had been accepted before.
  private struct Replayed: Error {}

  /// The same for ``accept(_:)``, whose step is then left to be used up by itself.
  private struct NotAccepted: Error { let answer: SignatureAcceptance }

  private static func consume(_ once: OnceKey, in db: Database) throws {
    guard try consume(once.key, until: once.expiry, in: db) else { throw Replayed() }
  }

  /// What `body` returns; `nil`, with nothing written, when it throws ``Replayed``.
  private func unlessReplayed<Value: Sendable>(
    _ subject: @autoclosure () -> String, _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value? {
    do { return try await write(subject(), body) } catch is Replayed { return nil }
  }

  public func removeEvidencePortion(
    before time: Int64, amongFirst leaves: Int64, limit: Int, machineTime: Date?
  ) async throws -> EvidenceRemoval {
    try await write("the retention of evidence") { [ledger] db in
      try ledger.removeContent(before: time, amongFirst: leaves, limit: limit, in: db)
    }
  }

  public func evidence(number: Int64) async throws -> EvidenceEntry? {
    try await read { try EvidenceTable.entry(number: number, in: $0) }
  }

  public func evidence(_ query: EvidenceQuery) async throws -> [EvidenceEntry] {
    try await read { try EvidenceTable.entries(query, in: $0) }
  }
}
