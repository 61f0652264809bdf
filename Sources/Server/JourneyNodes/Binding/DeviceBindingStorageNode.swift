internal import BindingFormats
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

extension NodeDefinition {
  /// Stores the device that a Device Binding node left in state: `true` when it is stored.
  func deviceBindingStorageNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let services = try services.addingFactors(self)
    return PlainNode(
      outcomes: ["true", "false"], stateInputs: [StateKey.username, DeviceInState.device]
    ) { context in
      let found = try await services.user(in: &context)
      let device = context.state[DeviceInState.device] ?? context.state[DeviceInState.legacyDevice]
      let terms = context.state[DeviceInState.terms]
      DeviceInState.remove(from: &context.state)
      guard let device = device?.objectValue else {
        return context.outcome(
          "false",
          because:
            "there is no device in state; switch on `postponeDeviceProfileStorage` in the Device Binding node"
        )
      }
      guard let user = found else { return context.outcome("false", because: "there is no such user") }
      if let owner = terms?["userId"]?.stringValue, !owner.hasSameBytes(as: user.universalID) {
        return context.outcome("false", because: "the device in state was bound by another user")
      }
      guard var record = BoundDeviceRecord(stateForm: device, user: user, now: services.clock()) else {
        return context.outcome(
          "false",
          because: "the device in state has no acceptable public key, or its `uuid` is not the key's `kid`")
      }
      record.attestation = DeviceInState.attestation(of: record.thumbprint, in: terms)
      let permission = try await services.factorPermission(for: user, context)
      let limit = terms?["limit"]?.integerValue.flatMap { Int(exactly: $0) } ?? 0
      let addition = try await services.store.addBoundDevice(
        record, limit: DeviceLimit(limit, permission, of: user))
      if let refusal = try addition.refusal(limit: limit) {
        return context.outcome("false", because: refusal)
      }
      try await services.noteAddedDevice(record.uuid, kind: "binding", of: user, in: context)
      return .outcome("true")
    }
  }
}

extension DeviceAddition {
  /// Why the device was not stored; `nil` when it was.
  func refusal(limit: Int) throws(NodeError) -> String? {
    switch self {
    case .added: nil
    case .limitReached: "the user has \(limit) devices, which is the limit"
    case .replayed: ProofFailure.replayed.text
    case .notFirst: throw NodeError("the user has added a stronger factor meanwhile")
    case .duplicate: "the user already has this key, or a device with this `kid`"
    case .noSuchUser: "the user was deleted meanwhile"
    }
  }
}
