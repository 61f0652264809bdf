internal import Foundation
internal import JourneyEngine
internal import JourneyStore

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
  /// What follows the storing of an authenticator: the record of it, and its recovery codes.
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
