internal import Bytes
internal import JourneyEngine
internal import StrictJSON

/// Saves the collected device profile with the journey's account, so that ``DeviceMatchNode`` knows the device again. The oldest profile
/// goes when there are too many.
struct DeviceSaveNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateInputs = [DeviceProfileState.key, StateKey.username]
  private let services: NodeServices
  private let limit: Int
  private let savesMetadata: Bool
  private let savesLocation: Bool

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    limit = try definition.integer("maxSavedProfiles", default: 5, in: 1...10, clamping: .down)
    savesMetadata = try definition.flag("saveDeviceMetadata", default: true, instead: true)
    savesLocation = try definition.flag("saveDeviceLocation", default: false)
    // What people call the device; it is kept with the profile in any case.
    _ = try definition.string("variableName")
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let user = try await services.activeUser(in: &context, to: "save the device's profile for")
    guard let profile = context.state[DeviceProfileState.key],
      let identifier = profile["identifier"]?.stringValue
    else { throw NodeError("there is no device profile; put a DeviceProfileCollectorNode before this node") }
    let saved = DeviceProfileState.Saved(
      identifier: identifier, alias: profile["alias"]?.stringValue,
      savedAt: services.clock().millisecondsSince1970,
      metadata: savesMetadata ? profile["metadata"] : nil, location: savesLocation ? profile["location"] : nil
    )
    do {
      _ = try await ManagedUsers(services).keep(DeviceProfileState.storedKey, of: user) { present in
        let others = (present?.arrayValue ?? []).compactMap(DeviceProfileState.Saved.init)
          .filter { $0.identifier != identifier }.sorted { $0.savedAt < $1.savedAt }
        return .array((others.suffix(limit - 1) + [saved]).map(\.json))
      }
    } catch let error as ManagedObjectError {
      context.logReason("the device's profile was not saved: \(error)")
    }
    return .outcome("outcome")
  }
}
