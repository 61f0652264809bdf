internal import BindingFormats
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// Stores the device that a Device Binding node left in state: `true` when it is stored.
struct DeviceBindingStorageNode: JourneyNode {
  let outcomes = ["true", "false"]
  let stateInputs = [StateKey.username, DeviceInState.device]
  private let services: NodeServices

  init(services: NodeServices) { self.services = services }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let username = try context.requiredUsername()
    let device = context.state[DeviceInState.device] ?? context.state[DeviceInState.legacyDevice]
    let terms = context.state[DeviceInState.terms]
    DeviceInState.remove(from: &context.state)
    guard let device = device?.objectValue else {
      return refused(
        "there is no device in state; switch on `postponeDeviceProfileStorage` in the Device Binding node",
        in: &context)
    }
    guard let user = try await services.store.user(named: username, realm: context.request.realm) else {
      return refused("there is no such user", in: &context)
    }
    if let owner = terms?["userId"]?.stringValue, !owner.hasSameBytes(as: user.universalID) {
      return refused("the device in state was bound by another user", in: &context)
    }
    guard var record = BoundDeviceRecord(stateForm: device, user: user, now: services.clock()) else {
      return refused(
        "the device in state has no acceptable public key, or its `uuid` is not the key's `kid`", in: &context
      )
    }
    record.attestation = DeviceInState.attestation(of: record.thumbprint, in: terms)
    let permission = try await services.factorPermission(for: user, context)
    let limit = terms?["limit"]?.integerValue.flatMap { Int(exactly: $0) } ?? 0
    switch try await services.store.addBoundDevice(record, limit: DeviceLimit(limit, permission)) {
    case .added:
      try await services.noteAddedDevice(record.uuid, kind: "binding", of: user, in: context)
      return .outcome("true")
    case .limitReached: return refused("the user has \(limit) devices, which is the limit", in: &context)
    case .replayed: return refused(ProofFailure.replayed.text, in: &context)
    case .notFirst: throw NodeError("the user has added a stronger factor meanwhile")
    case .duplicate:
      return refused("the user already has this key, or a device with this `kid`", in: &context)
    case .noSuchUser: return refused("the user was deleted meanwhile", in: &context)
    }
  }

  private func refused(_ reason: String, in context: inout NodeContext) -> NodeResult {
    context.logReason(reason)
    return .outcome("false")
  }
}
