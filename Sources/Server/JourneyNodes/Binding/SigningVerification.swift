internal import BindingFormats
internal import Bytes
internal import EvidenceLedger
internal import Foundation
internal import JOSE
package import JourneyEngine
internal import JourneyStore
internal import SigningTransactions
internal import StrictJSON

/// Judges a proof by a bound key: finds user and key, verifies, counts failures, refuses replays, keeps the evidence.
///
/// The answered step is used up in the write that makes the proof count, or before a failure is counted, so that only one of many answers
/// to a challenge has an effect.
struct SigningVerification: Sendable {
  let services: NodeServices
  let settings: BindingNodeSettings

  enum Verdict: Sendable {
    /// The proof is accepted; its evidence is durable and has this number. `nil` when both are left to the write that makes the session.
    case passed(UserRecord, evidence: Int64?)
    case noDevice
    case keyNotFound(reason: String)
    case failed(ProofFailure)
  }

  /// The user of the journey is in the context's state; when there is none, the proof says who it is.
  func verdict(
    on compact: String, _ challenge: Challenge, transaction: TransactionSigning.Answered? = nil,
    _ context: inout NodeContext
  ) async throws -> Verdict {
    let (username, realm) = (context.state.username, context.request.realm)
    do {
      let jws = try DeviceProof.parse(compact, limits: .proof(over: challenge))
      let keyID: String
      do throws(ProofFailure) { keyID = try DeviceProof.keyID(of: jws) } catch {
        return .keyNotFound(reason: error.text)
      }
      guard let signer = try await signer(with: keyID, named: username, in: jws, realm: realm) else {
        return .noDevice
      }
      guard let device = signer.device else {
        let devices = try await services.store.boundDevices.all(
          of: UniversalID(username: signer.user.username, realm: realm))
        return devices.isEmpty
          ? .noDevice : .keyNotFound(reason: "the user has devices, but none with this `kid`")
      }
      return try await verdict(on: jws, by: device, of: signer, challenge, transaction, &context)
    } catch let failure as ProofFailure {
      if failure.countsAgainstAccount, let username {
        try await countFailure(of: username, realm: realm, in: &context)
      }
      return .failed(failure)
    }
  }

  /// The journey's user, or the one that `sub` names, with the device; `nil` when the journey's name is unknown.
  private func signer(
    with keyID: String, named username: String?, in jws: UnverifiedJWS, realm: String
  ) async throws -> SignerRecord? {
    if let username {
      return try await services.store.signer(uuid: keyID, of: UniversalID(username: username, realm: realm))
    }
    let subject = try DeviceProof.claimedSubject(of: jws)
    guard let id = UniversalID(subject), id.isIn(realm: realm),
      let signer = try await services.store.signer(
        uuid: keyID, of: UniversalID(username: id.username, realm: realm))
    else { throw ProofFailure.userUnknown }
    return signer
  }

  private func verdict(
    on jws: UnverifiedJWS, by device: BoundDeviceRecord, of signer: SignerRecord, _ challenge: Challenge,
    _ transaction: TransactionSigning.Answered?, _ context: inout NodeContext
  ) async throws -> Verdict {
    let user = signer.user
    try transaction?.record.require(user)
    let now = services.clock()
    let proof: DeviceProof.Verified
    do throws(ProofFailure) {
      proof = try DeviceProof.verifySigning(
        jws, storedKey: device.key,
        expecting: DeviceProof.Expectations(
          subject: user.universalID, challenge: challenge,
          takesPlainProofs: transaction?.application.takesPlainProofs ?? false,
          applicationIDs: settings.applicationIDs, skew: settings.skew, now: now))
    } catch {
      if error.countsAgainstAccount {
        try await countFailure(of: user.username, realm: user.realm, in: &context)
      }
      return .failed(error)
    }
    guard user.isActive else { return .failed(.userNotActive) }
    guard !signer.lockout.isLocked(at: now) else { return .failed(.accountLocked) }
    // An answer that has waited here beyond the journey's end might no longer be remembered as answered.
    if let step = context.answeredStep, now >= step.deadline { throw StepWasUsed() }
    let signature = AcceptedSignature(
      evidence: EvidenceRecord(
        .sign, of: jws.compact, by: device, user: user,
        transaction: transaction?.evidence ?? Evidence.unsignedTransaction(in: context.state), now: now,
        in: context),
      once: OnceKey(of: proof), forgetsFailures: signer.lockout != LockoutState(),
      step: context.answeredStep.map(OnceKey.init))
    if transaction == nil, context.finalOutcomes.contains(DeviceSigningVerifierNode.success) {
      context.deferred = DeferredProof(SessionProof.signature(signature))
      context.answeredStep = nil
      return .passed(user, evidence: nil)
    }
    switch try await services.store.accept(signature) {
    case .accepted(let number):
      context.answeredStep = nil
      return .passed(user, evidence: number)
    case .answeredBefore: throw StepWasUsed()
    case .replayed: return .failed(.replayed)
    case .noSuchDevice: return .keyNotFound(reason: "the device was deleted meanwhile")
    }
  }

  /// Counts a failure unless signatures are locked already. All devices share one count: a try counts only with a
  /// device's key id, which the user's name alone does not reveal.
  private func countFailure(
    of username: String, realm: String, in context: inout NodeContext
  ) async throws {
    try await context.useStep(of: services.store)
    try await services.lock(.signatures, of: UniversalID(username: username, realm: realm))
      .countFailure()
  }
}

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
  ///   - device: the device whose key verified the proof.
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
  /// The key that makes an accepted proof count once: the hash of its signed content, remembered until no node could accept it any more.
  init(of proof: DeviceProof.Verified) { self.init(key: proof.contentHash, expiry: proof.end) }
}
