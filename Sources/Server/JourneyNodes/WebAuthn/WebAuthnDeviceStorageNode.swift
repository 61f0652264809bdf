internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON
internal import WebAuthnVerification

extension NodeDefinition {
  /// Stores the device that a WebAuthn Registration node left in state.
  func webAuthnDeviceStorageNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let services = try services.addingFactors(self)
    let generatesCodes = try flag("generateRecoveryCodes", default: true, instead: false)
    // Most devices of one user; 0 means no limit.
    let limit = try integer("maxSavedDevices", default: 0, in: 0...1000, clamping: .down)
    return PlainNode(
      outcomes: ["success", "failure"] + (limit > 0 ? ["exceedDeviceLimit"] : []),
      stateInputs: [StateKey.username, WebAuthnState.deviceData]
    ) { context in
      func failure(_ reason: String) -> NodeResult {
        context.outcome("failure", because: "WebAuthn device not stored: \(reason)")
      }
      let found = try await services.user(in: &context)
      let form = context.state[WebAuthnState.deviceData]?.objectValue
      context.state.transient[WebAuthnState.deviceData] = nil
      guard let form else {
        return failure(
          "there is no device in state; switch on `postponeDeviceProfileStorage` in the WebAuthn Registration node"
        )
      }
      guard let user = found else { return failure("there is no such user") }
      guard let record = WebAuthnDeviceRecord(stateForm: form, user: user, now: services.clock()) else {
        return failure("what is in state is not a WebAuthn device")
      }
      guard record.userHandle == Array(WebAuthnUserHandle.text(of: user).utf8) else {
        return failure("the device in state was registered by another user")
      }
      let permission = try await services.factorPermission(for: user, context)
      switch try await services.store.addWebAuthnDevice(
        record, limit: DeviceLimit(limit, permission, of: user))
      {
      case .added:
        try await services.noteStored(record, of: user, makesRecoveryCodes: generatesCodes, in: &context)
        return .outcome("success")
      case .limitReached: return WebAuthnNode.exceeded(limit, in: &context)
      case let other: return failure(try other.refusal)
      }
    }
  }
}
