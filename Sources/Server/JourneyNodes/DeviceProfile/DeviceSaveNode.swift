internal import Bytes
internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Saves the collected device profile with the journey's account, so that ``deviceMatchNode(_:)`` knows the device again. The oldest
  /// profile goes when there are too many.
  func deviceSaveNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let limit = try integer("maxSavedProfiles", default: 5, in: 1...10, clamping: .down)
    let savesMetadata = try flag("saveDeviceMetadata", default: true, instead: true)
    let savesLocation = try flag("saveDeviceLocation", default: false)
    // What people call the device; it is kept with the profile in any case.
    _ = try string("variableName")
    return PlainNode(stateInputs: [DeviceProfileState.key, StateKey.username]) { context in
      let user = try await services.activeUser(in: &context, to: "save the device's profile for")
      let (profile, identifier) = try DeviceProfileState.collected(context.state)
      let saved = DeviceProfileState.Saved(
        identifier: identifier, alias: profile["alias"]?.stringValue,
        savedAt: services.clock().millisecondsSince1970, metadata: savesMetadata ? profile["metadata"] : nil,
        location: savesLocation ? profile["location"] : nil)
      do {
        _ = try await ManagedUsers(services).keep(DeviceProfileState.storedKey, of: user) { present in
          let others = DeviceProfileState.saved(present)
            .filter { $0.identifier != identifier }.sorted { $0.savedAt < $1.savedAt }
          return .array((others.suffix(limit - 1) + [saved]).map(\.json))
        }
      } catch let error as ManagedObjectError {
        context.logReason("the device's profile was not saved: \(error)")
      }
      return .outcome("outcome")
    }
  }
}
