internal import BindingFormats
internal import Bytes
internal import EvidenceLedger
internal import Foundation
package import JourneyEngine
internal import JourneyStore
internal import SigningTransactions
internal import StrictJSON

/// The ledger entries of the binding and the signing node, and the state variables for them.
package enum Evidence {
  /// A JSON object in state that says what is being signed. It goes into the evidence of the next signature as it is;
  /// nodes that build transactions put it there, and clients cannot. The signature does not cover it.
  static let transactionVariable = "sealring.transaction"

  /// The number of the last signature's evidence, in shared state, for nodes that refer to it.
  static let numberVariable = "sealring.evidence"

  /// The number of the last signature's evidence; `nil` when the run has verified none.
  package static func number(in state: JourneyState) -> Int64? { state.shared[numberVariable]?.integerValue }

  /// The member that holds an object of ``transactionVariable`` whose own members would make it look signed.
  private static let unsignedMember = "unsigned"

  /// The ledger's copy of ``transactionVariable``; `nil` when it is empty.
  static func unsignedTransaction(in state: JourneyState) -> JSONObject? {
    guard let object = state[transactionVariable]?.objectValue else { return nil }
    return OfferedTransaction.isClaimed(by: object) ? [unsignedMember: .object(object)] : object
  }
}

extension EvidenceRecord {
  /// The evidence of a proof that has been verified.
  ///
  /// - Parameters:
  ///   - device: with the key that verified the proof.
  ///   - transaction: `nil` when the proof is over a random challenge or binds a key.
  init(
    _ kind: Kind, of jws: String, by device: BoundDeviceRecord, user: UserRecord,
    transaction: JSONObject? = nil, now: Date, in context: NodeContext
  ) {
    self.init(
      kind: kind, time: now.millisecondsSince1970, realm: user.realm,
      journey: context.journey, nodeID: context.nodeID, username: user.username, userID: user.universalID,
      accountID: user.id, device: device.uuid, key: device.key, attestation: device.attestation,
      transaction: transaction,
      jws: jws)
  }
}

extension OnceKey {
  /// What makes an accepted proof count once: its signed content, until no node could accept it any more.
  init(of proof: DeviceProof.Verified) { self.init(key: proof.contentHash, expiry: proof.end) }
}
