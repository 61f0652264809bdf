internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Asks the client for its device's profile, and keeps it as `forgeRock.device.profile` in shared state.
  ///
  /// The profile is what the client claims, and proves nothing. Only what was asked for is kept. An empty answer is asked for again.
  func deviceProfileCollectorNode() throws(JourneyFileError) -> PlainNode {
    let wantsMetadata = try flag("deviceMetadata", default: true, instead: true)
    let wantsLocation = try flag("deviceLocation", default: false)
    let message = try localized("message", builtIn: "")
    // The profile travels in the sealed state, with every request of the journey.
    let most = try integer("maximumSize", default: 3, in: 1...32, clamping: .both, instead: 3) << 10
    return PlainNode(stateOutputs: [DeviceProfileState.key]) { context in
      guard let text = context.reply?.text(), !text.isEmpty else {
        return .callbacks([
          OutgoingCallback(
            type: "DeviceProfileCallback",
            outputs: [
              .init("metadata", .bool(wantsMetadata)), .init("location", .bool(wantsLocation)),
              .init("message", .string(message.text(for: context.request.locales))),
            ], inputs: [.init("", "")])
        ])
      }
      guard text.utf8.count <= most else {
        throw NodeError(
          "the device profile has \(text.utf8.count) bytes, more than \(most); `maximumSize` is in KB")
      }
      guard let answer = (try? JSONValue(parsing: text))?.objectValue else {
        throw NodeError("the device profile is not a JSON object")
      }
      var profile = JSONObject()
      for name in ["identifier", "alias"] {
        guard let value = answer[name] else { continue }
        guard let text = value.stringValue, DeviceProfileState.isAcceptable(text) else {
          throw NodeError("the device profile's `\(name)` is not a text of 1 to 256 visible characters")
        }
        profile[name] = value
      }
      if wantsMetadata, let metadata = answer["metadata"]?.objectValue {
        profile["metadata"] = .object(metadata)
      }
      if wantsLocation, let location = answer["location"], !location.isNull {
        profile["location"] = try DeviceProfileState.location(location)
      }
      for (name, isWanted) in [("metadata", wantsMetadata), ("location", wantsLocation)]
      where isWanted && profile[name] == nil {
        context.logReason("the client sent no \(name)")
      }
      context.state.shared[DeviceProfileState.key] = .object(profile)
      return .outcome("outcome")
    }
  }
}

/// The device profile in a journey's state.
enum DeviceProfileState {
  /// PingAM's name for it.
  static let key = "forgeRock.device.profile"

  /// Whether a text may name a device.
  static func isAcceptable(_ text: String) -> Bool {
    text.utf8.count <= 1024 && (1...256).contains(text.count) && text.isFitForLine
  }

  /// The coordinates of `value`, and nothing else.
  static func location(_ value: JSONValue) throws(NodeError) -> JSONValue {
    guard let latitude = value["latitude"]?.doubleValue, let longitude = value["longitude"]?.doubleValue,
      (-90...90).contains(latitude), (-180...180).contains(longitude)
    else { throw NodeError("the device profile's `location` is not a place on the earth") }
    return ["latitude": .number(latitude), "longitude": .number(longitude)]
  }

  /// The collected profile and its identifier.
  static func collected(_ state: JourneyState) throws(NodeError) -> (profile: JSONValue, identifier: String) {
    guard let profile = state[key], let identifier = profile["identifier"]?.stringValue else {
      throw NodeError("there is no device profile; put a DeviceProfileCollectorNode before this node")
    }
    return (profile, identifier)
  }
}
