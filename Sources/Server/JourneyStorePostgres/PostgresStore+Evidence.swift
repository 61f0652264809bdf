internal import Concurrency
internal import EvidenceLedger
internal import Foundation
package import JourneyStore

extension PostgresStore {
  /// Accepts the proof together with the other proofs that wait. Proofs that are refused are left out, so that no proof fails, and none is
  /// slow, because of another.
  package func accept(_ proof: LedgerProof) async throws -> AcceptedProof {
    try await proofs.write(proof) { [self] in await accept($0) }
  }

  private func accept(_ proofs: [LedgerProof]) async -> [Result<AcceptedProof, any Error>] {
    do {
      if proofs.count == 1 { return [.success(try await acceptAlone(proofs[0]))] }
      return try await acceptTogether(proofs).map { .success($0) }
    } catch let error as NotTogether {
      return await accept(proofs, in: error.parts(of: proofs.count))
    } catch {
      // An error that does not concern a proof, such as a lost connection, is the same for all.
      return proofs.map { _ in .failure(error) }
    }
  }

  /// Accepts each part in a transaction of its own, or in several if it must be.
  ///
  /// - Parameter parts: all indices of `proofs`, each once.
  private func accept(_ proofs: [LedgerProof], in parts: [[Int]]) async -> [Result<AcceptedProof, any Error>]
  {
    var outcomes: [(index: Int, outcome: Result<AcceptedProof, any Error>)] = []
    for part in parts { outcomes += zip(part, await accept(part.map { proofs[$0] })).map { ($0, $1) } }
    return outcomes.sorted { $0.index < $1.index }.map(\.outcome)
  }

  /// The outcome of each proof.
  ///
  /// - Throws: ``NotTogether`` when one of them is refused, or its evidence cannot be stored; nothing is changed then.
  private func acceptTogether(_ proofs: [LedgerProof]) async throws -> [AcceptedProof] {
    try await withLane { lane in
      try await sealing {
        try await transact("the evidence of \(proofs.count) signatures") { [ledger, quotas] transaction in
          do {
            return try await transaction.carryOut(
              EvidenceSQL.accept(proofs, in: lane, of: ledger, quotas))
          } catch let refused as ProofsRefused {
            throw NotTogether(refused: refused.refusals.keys.sorted())
          } catch let error as PostgresError where error.isAboutValues {
            throw NotTogether()
          } catch StoreError.exhausted, StoreError.unavailable, StoreError.missing {
            // A record is too large, its account has used up its bytes of the day, or a session has no active account.
            throw NotTogether()
          }
        }
      }
    }
  }
}

/// The lanes of the ledger that the proofs of this server are using at the moment. Other servers use the same ones and meet at the lock of
/// a lane's row, so a collision only costs time.
final class LedgerLanes: Sendable {
  /// The number of users of each lane from 1 on; empty when lane 0 alone is used.
  private let users: Locked<[Int]>

  init(_ count: Int) {
    users = Locked(Array(repeating: 0, count: count > 1 ? min(count, Int(EvidenceLane.maximum)) : 0))
  }

  /// The lane with the fewest users. The search begins anywhere, so that several servers spread.
  func take() -> EvidenceLane {
    users.withLock { users in
      guard !users.isEmpty else { return .first }
      let start = Int.random(in: 0..<users.count)
      let order = (0..<users.count).map { (start + $0) % users.count }
      let index = order.min { users[$0] < users[$1] } ?? 0
      users[index] += 1
      return EvidenceLane(Int64(index + 1)) ?? .first
    }
  }

  func giveBack(_ lane: EvidenceLane) {
    guard lane != .first else { return }
    users.withLock { $0[Int(lane.index) - 1] -= 1 }
  }
}

/// One of the proofs that were to share a transaction is refused, or its evidence cannot be stored.
struct NotTogether: Error {
  /// The indices of the refused proofs; empty when it is not known which ones are to blame.
  var refused: [Int] = []

  /// The transactions in which `count` proofs are tried next: the proofs that were not refused together, and each other one alone; or each
  /// half when it is not known which were refused.
  func parts(of count: Int) -> [[Int]] {
    guard !refused.isEmpty else { return [Array(0..<count / 2), Array(count / 2..<count)] }
    let alone = Set(refused)
    return ([(0..<count).filter { !alone.contains($0) }] + refused.map { [$0] }).filter { !$0.isEmpty }
  }
}
