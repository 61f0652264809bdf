public import EvidenceLedger
internal import Foundation
internal import GRDB

extension SQLiteStore {
  public func accept(_ signature: AcceptedSignature) async throws -> SignatureAcceptance {
    let evidence = signature.evidence
    let key = AccountKey(username: evidence.username, realm: evidence.realm)
    return try await write("the evidence of \(evidence.username)") { [ledger] db in
      let isThere = try db.change(
        """
        UPDATE bound_devices SET last_access_date = max(last_access_date, ?)
          WHERE realm_key = ? AND name_key = ? AND uuid = ?
        """, [Double(evidence.time) / 1000, key.realm, key.name, evidence.device])
      guard isThere == 1 else { return .noSuchDevice }
      if let once = signature.once, try !Self.consume(once.key, until: once.expiry, in: db) {
        return .replayed
      }
      if signature.forgetsFailures { try Self.forgetFailures(of: key, .signatures, in: db) }
      return .accepted(evidence: try ledger.append(evidence, to: db))
    }
  }

  public func addBoundDevice(
    _ device: BoundDeviceRecord, limit: DeviceLimit, evidence: EvidenceRecord
  ) async throws -> BoundDeviceAddition {
    try await write("the device \(device.uuid) of \(device.username)") { [ledger] db in
      let addition = try Self.add(device, limit: limit, in: db)
      if addition == .added { _ = try ledger.append(evidence, to: db) }
      return addition
    }
  }

  public func addEvidence(_ record: EvidenceRecord) async throws -> Int64 {
    try await write("the evidence of \(record.username)") { [ledger] db in
      try ledger.append(record, to: db)
    }
  }

  public func evidence(number: Int64) async throws -> EvidenceEntry? {
    try await read { try EvidenceTable.entry(number: number, in: $0) }
  }

  public func evidence(_ query: EvidenceQuery) async throws -> [EvidenceEntry] {
    try await read { try EvidenceTable.entries(query, in: $0) }
  }
}
