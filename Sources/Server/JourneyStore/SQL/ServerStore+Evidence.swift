public import EvidenceLedger
public import Foundation

extension ServerStore {
  /// Accepts a proof by a bound key: stores all of ``AcceptedSignature`` or nothing, in one transaction that is durable when this returns.
  /// Of several proofs with the same step, or several copies of one proof, only one is accepted.
  public func accept(_ signature: AcceptedSignature) async throws -> SignatureAcceptance {
    try await accept(LedgerProof(signature)).acceptance
  }

  public func accept(_ proof: LedgerProof) async throws -> AcceptedProof { try await acceptAlone(proof) }

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

  /// Adds the device as ``addBoundDevice(_:limit:)`` does and, if it was added, consumes the proof that bound it and adds the proof's
  /// evidence: all in one transaction, or nothing.
  public func addBoundDevice(
    _ device: BoundDeviceRecord, limit: DeviceLimit, evidence: EvidenceRecord, once: OnceKey
  ) async throws -> DeviceAddition {
    try await withLane { lane in
      try await write("the device \(device.uuid) of \(device.username)") { [ledger, quotas] in
        try DeviceTable.bound.add(device, limit: quotas.deviceLimit(limit)).then { addition in
          guard addition == .added else { return .done(addition) }
          let entry = EvidenceSQL.add(
            evidence, once: once, in: lane, of: ledger, quotas,
            replayed: Undone(answer: DeviceAddition.replayed))
          return .next(entry.then { _ in .done(addition) })
        }
      }
    }
  }

  /// Adds an entry alone, for a proof whose device is stored later, and consumes the proof: both in one transaction,
  /// durable when this returns.
  ///
  /// - Returns: the entry's number; `nil` when the proof has been accepted before.
  public func addEvidence(_ record: EvidenceRecord, once: OnceKey) async throws -> Int64? {
    try await withLane { lane in
      try await write("the evidence of \(record.username)") {
        EvidenceSQL.add(
          record, once: once, in: lane, of: ledger, quotas, replayed: Undone(answer: Int64?.none)
        )
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

  /// Removes the content of all entries that ``removeEvidencePortion(before:amongFirst:limit:machineTime:)`` may remove, in portions, so
  /// that other writes get their turn in between.
  public func removeEvidenceContent(
    before time: Int64, amongFirst leaves: Int64 = .max, machineTime: Date? = nil
  ) async throws -> EvidenceRemoval {
    var new: Int64 = 0
    while true {
      try Task.checkCancellation()
      let portion = try await removeEvidencePortion(
        before: time, amongFirst: leaves, limit: 1000, machineTime: machineTime)
      new += portion.new
      if portion.isComplete { return EvidenceRemoval(removed: portion.removed, new: new, isComplete: true) }
    }
  }
}
