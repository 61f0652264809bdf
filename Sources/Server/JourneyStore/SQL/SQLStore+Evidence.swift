package import EvidenceLedger
package import Foundation

extension SQLStore {
  public func accept(_ signature: AcceptedSignature) async throws -> SignatureAcceptance {
    try await accept(LedgerProof(signature)).acceptance
  }

  package func accept(_ proof: LedgerProof) async throws -> AcceptedProof { try await acceptAlone(proof) }

  package func acceptAlone(_ proof: LedgerProof) async throws -> AcceptedProof {
    do {
      return try await withLane { lane in
        try await write("the evidence of \(proof.signature.evidence.username)") {
          EvidenceSQL.accept([proof], in: lane, of: ledger, quotas)
        }
      }[0]
    } catch let refused as ProofsRefused {
      return AcceptedProof(acceptance: refused.refusals[0] ?? .replayed)
    }
  }

  public func addBoundDevice(
    _ device: BoundDeviceRecord, limit: DeviceLimit, evidence: EvidenceRecord, once: OnceKey
  ) async throws -> BoundDeviceAddition {
    try await withLane { lane in
      try await write("the device \(device.uuid) of \(device.username)") { [ledger, quotas] in
        try DeviceTable.bound.add(device, limit: quotas.deviceLimit(limit), serverKey).then { obstacle in
          let addition = BoundDeviceAddition(obstacle)
          guard addition == .added else { return .done(addition) }
          let entry = EvidenceSQL.add(
            evidence, once: once, in: lane, of: ledger, quotas,
            replayed: Undone(BoundDeviceAddition.replayed))
          return .next(entry.then { _ in .done(addition) })
        }
      }
    }
  }

  public func addEvidence(_ record: EvidenceRecord, once: OnceKey) async throws -> Int64? {
    try await withLane { lane in
      try await write("the evidence of \(record.username)") {
        EvidenceSQL.add(record, once: once, in: lane, of: ledger, quotas, replayed: Undone(Int64?.none))
          .then { SQLOperation<Int64?>.Decision.done($0) }
      }
    }
  }

  public func removeEvidencePortion(
    before time: Int64, amongFirst leaves: Int64, limit: Int, machineTime: Date?
  ) async throws -> EvidenceRemoval {
    try await write("the retention of evidence") {
      EvidenceSQL.removeContent(before: time, amongFirst: leaves, limit: limit, of: ledger)
    }
  }

  public func evidence(number: Int64) async throws -> EvidenceEntry? {
    try await read(EvidenceSQL.entry(number: number))
  }

  public func evidence(_ query: EvidenceQuery) async throws -> [EvidenceEntry] {
    try await read(EvidenceSQL.page(query))
  }

  package var sealingLedgerAgain: SQLOperation<Void> { EvidenceSQL.sealAgain(ledger) }
}
