internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

extension NodeDefinition {
  /// Stores the authenticator that an OATH Registration node left in state, once an OATH Token Verifier node has proven its first code, and
  /// makes the recovery codes for it.
  func oathDeviceStorageNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let services = try services.addingFactors(self)
    return PlainNode(
      outcomes: ["successOutcome", "failureOutcome"], stateInputs: [StateKey.username, OathDraft.stateKey],
      stateOutputs: [RecoveryCodeState.codes]
    ) { context in
      func failure(_ reason: String) -> NodeResult {
        context.outcome("failureOutcome", because: "authenticator not stored: \(reason)")
      }
      guard let user = try await services.user(in: &context), user.isActive else {
        return failure("there is no such active user")
      }
      let found = OathDraft(in: context.state, of: user)
      OathDraft.forget(in: &context.state)
      guard let draft = found else {
        // The registration node skips a user who has an authenticator, and the verifier node has checked that one.
        guard try await services.store.oathDevices.all(of: user.account).isEmpty else {
          return .outcome("successOutcome")
        }
        return failure(
          "there is no authenticator of this user in state; switch on `postponeDeviceProfileStorage` in the OATH Registration node"
        )
      }
      guard draft.isProven else {
        return failure(
          "no code of the authenticator was proven; put an OATH Token Verifier node before this one")
      }
      var device = draft.device
      (device.createdDate, device.lastAccessDate) = (services.clock(), services.clock())
      let permission = try await services.factorPermission(for: user, context)
      guard try await services.store.addOathDevice(device, limit: DeviceLimit(1, permission, of: user)) else {
        return failure("the user has registered another authenticator or factor meanwhile")
      }
      try await services.noteStoredAuthenticator(
        device, of: user, makesRecoveryCodes: draft.makesRecoveryCodes, in: &context)
      return .outcome("successOutcome")
    }
  }
}

extension NodeServices {
  /// Records that an authenticator was stored, and makes its recovery codes.
  func noteStoredAuthenticator(
    _ device: OathDeviceRecord, of user: UserRecord, makesRecoveryCodes: Bool, in context: inout NodeContext
  ) async throws {
    try await noteAddedDevice(device.uuid, kind: "oath", of: user, in: context)
    _ = try await store.oathDevices.set(.notSkippable, of: user.account)
    guard makesRecoveryCodes else { return }
    try await RecoveryCodes(services: self).replace(
      kinds: ["OATH"], of: user, device: device.deviceName, in: &context.state)
  }
}

/// An authenticator between its QR code and its first code, kept in the journey's sealed state and in no database.
///
/// It belongs to one account by the account's id, so that no other user of the journey, and no later account of the same name, gets it.
struct OathDraft: Sendable, Hashable {
  /// In secure state, under the name that PingAM has for it.
  static let stateKey = "oathDeviceProfile"

  var device: OathDeviceRecord

  /// Whether recovery codes are made when it is stored.
  let makesRecoveryCodes: Bool

  /// How many codes were wrong so far.
  var wrongCodes = 0

  /// Whether a right code was entered; it is not stored without one.
  private(set) var isProven = false

  private let accountID: String

  private struct Form: Codable {
    let account: String
    let device: OathDeviceRecord.SealedForm
    let recoveryCodes: Bool
    let wrongCodes: Int
    /// As text, because JSON numbers are not read up to this size.
    let next: String?
    let drift: Int?
  }

  init(_ device: OathDeviceRecord, of user: UserRecord, makesRecoveryCodes: Bool) {
    self.device = device
    self.makesRecoveryCodes = makesRecoveryCodes
    accountID = user.id
  }

  /// The draft of `user`; `nil` when there is none, or it is another account's.
  init?(in state: JourneyState, of user: UserRecord) {
    guard let stored = state.secure[Self.stateKey], let form: Form = StoredJSON.value(from: stored),
      form.account == user.id
    else { return nil }
    self.init(
      OathDeviceRecord(form.device, realm: user.realm, username: user.username), of: user,
      makesRecoveryCodes: form.recoveryCodes)
    wrongCodes = form.wrongCodes
    guard let next = form.next.flatMap({ UInt64($0) }), let drift = form.drift else { return }
    device.nextFactor = next
    device.drift = drift
    isProven = true
  }

  /// Uses up the code of `factor` and all earlier ones, so that it cannot be used to sign in later. `false` when it was used before.
  mutating func accept(factor: UInt64, drift: Int) -> Bool {
    guard factor >= device.nextFactor, factor < UInt64(Int64.max) else { return false }
    device.nextFactor = factor + 1
    device.drift = drift
    isProven = true
    return true
  }

  func keep(in state: inout JourneyState) {
    // Without a draft the enrolment begins anew.
    state.secure[Self.stateKey] = try? StoredJSON.json(
      of: Form(
        account: accountID, device: device.sealedForm, recoveryCodes: makesRecoveryCodes,
        wrongCodes: wrongCodes, next: isProven ? String(device.nextFactor) : nil,
        drift: isProven ? device.drift : nil))
  }

  static func forget(in state: inout JourneyState) { state.secure[stateKey] = nil }
}
