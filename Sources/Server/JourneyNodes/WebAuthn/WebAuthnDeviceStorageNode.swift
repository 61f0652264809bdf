internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON
internal import WebAuthnVerification

/// Stores the device that a WebAuthn Registration node left in state.
struct WebAuthnDeviceStorageNode: JourneyNode {
  private let services: NodeServices
  private let generatesCodes: Bool

  /// Most devices of one user; 0 means no limit.
  private let limit: Int

  let stateInputs = [StateKey.username, WebAuthnState.deviceData]

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = try services.addingFactors(definition)
    generatesCodes = try definition.flag("generateRecoveryCodes", default: true, instead: false)
    limit = try definition.integer("maxSavedDevices", default: 0, in: 0...1000, clamping: .down)
  }

  var outcomes: [String] { ["success", "failure"] + (limit > 0 ? ["exceedDeviceLimit"] : []) }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let found = try await services.user(in: &context)
    let form = context.state[WebAuthnState.deviceData]?.objectValue
    context.state.transient[WebAuthnState.deviceData] = nil
    guard let form else {
      return failure(
        "there is no device in state; switch on `postponeDeviceProfileStorage` in the WebAuthn Registration node",
        in: &context)
    }
    guard let user = found else { return failure("there is no such user", in: &context) }
    guard let record = WebAuthnDeviceRecord(stateForm: form, user: user, now: services.clock()) else {
      return failure("what is in state is not a WebAuthn device", in: &context)
    }
    guard record.userHandle == Array(WebAuthnUserHandle.text(of: user).utf8) else {
      return failure("the device in state was registered by another user", in: &context)
    }
    let permission = try await services.factorPermission(for: user, context)
    switch try await services.store.addWebAuthnDevice(record, limit: DeviceLimit(limit, permission, of: user))
    {
    case .added:
      try await services.noteStored(record, of: user, makesRecoveryCodes: generatesCodes, in: &context)
      return .outcome("success")
    case .limitReached: return WebAuthnNode.exceeded(limit, in: &context)
    case let other: return failure(try other.refusal, in: &context)
    }
  }

  private func failure(_ reason: String, in context: inout NodeContext) -> NodeResult {
    context.outcome("failure", because: "WebAuthn device not stored: \(reason)")
  }
}
