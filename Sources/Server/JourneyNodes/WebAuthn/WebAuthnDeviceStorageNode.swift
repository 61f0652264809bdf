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
    self.services = services
    generatesCodes = try definition.flag("generateRecoveryCodes", default: true)
    limit = try definition.integer("maxSavedDevices", default: 0, in: 0...1000)
  }

  var outcomes: [String] { ["success", "failure"] + (limit > 0 ? ["exceedDeviceLimit"] : []) }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let username = try context.requiredUsername()
    let form = context.state[WebAuthnState.deviceData]?.objectValue
    context.state.transient[WebAuthnState.deviceData] = nil
    guard let form else {
      return failure(
        "there is no device in state; switch on `postponeDeviceProfileStorage` in the WebAuthn Registration node",
        &context)
    }
    guard let user = try await services.store.user(named: username, realm: context.request.realm) else {
      return failure("there is no such user", &context)
    }
    guard let record = WebAuthnDeviceRecord(stateForm: form, user: user, now: services.clock()) else {
      return failure("what is in state is not a WebAuthn device", &context)
    }
    guard record.userHandle == Array(WebAuthnUserHandle.text(of: user).utf8) else {
      return failure("the device in state was registered by another user", &context)
    }
    let permission = try await services.factorPermission(for: user, context)
    switch try await services.store.addWebAuthnDevice(record, limit: DeviceLimit(limit, permission)) {
    case .added:
      try await services.noteAddedDevice(record.uuid, kind: "webauthn", of: user, in: context)
    case .limitReached:
      context.logReason("the user has \(limit) WebAuthn devices, which is the limit")
      return .outcome("exceedDeviceLimit")
    case .notFirst: throw NodeError("the user has added a stronger factor meanwhile")
    case .duplicate: return failure(WebAuthnNode.alreadyRegistered.description, &context)
    case .noSuchUser: return failure("the user was deleted meanwhile", &context)
    }
    if generatesCodes {
      try await RecoveryCodes(services: services).replace(
        kinds: [WebAuthnNode.recoveryCodeKind], of: user, device: record.deviceName, in: &context.state)
    }
    return .outcome("success")
  }

  private func failure(_ reason: String, _ context: inout NodeContext) -> NodeResult {
    context.logReason("WebAuthn device not stored: \(reason)")
    return .outcome("failure")
  }
}
