internal import Bytes
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

extension NodeDefinition {
  /// Saves the collected device profile with the journey's account, so that ``deviceMatchNode(_:)`` knows the device again. The oldest
  /// profile is removed when there are too many.
  func deviceSaveNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let limit = try integer("maxSavedProfiles", default: 5, in: 1...10, clamping: .down)
    let savesMetadata = try flag("saveDeviceMetadata", default: true, instead: true)
    let savesLocation = try flag("saveDeviceLocation", default: false)
    // The variable with a name for the device; the profile has that name in any case.
    _ = try string("variableName")
    return PlainNode(stateInputs: [DeviceProfileState.key, StateKey.username]) { context in
      let user = try await services.activeUser(in: &context, to: "save the device's profile for")
      let (profile, identifier) = try DeviceProfileState.collected(context.state)
      let saved = SavedDeviceProfiles.Profile(
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

  /// Compares the collected device profile with the one that was saved of the same device: `true` when they differ in no more than
  /// `acceptableVariance` values, `unknownDevice` when none was saved, or only too long ago. A profile is what the client claims, and proves
  /// nothing.
  func deviceMatchNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let variance = try integer("acceptableVariance", default: 0, in: 0...1000, clamping: .down)
    let days = Int64(try integer("expiration", default: 30, in: 0...36_500, clamping: .down))
    let usesScript = try flag("useScript", default: false, instead: true)
    return PlainNode(
      outcomes: ["true", "false", "unknownDevice"], stateInputs: [DeviceProfileState.key, StateKey.username],
      warnings: usesScript
        ? ["the script is not run here: profiles are compared by acceptableVariance and expiration"] : []
    ) { context in
      let (profile, identifier) = try DeviceProfileState.collected(context.state)
      // A name that nobody has is like a user without devices.
      guard let user = try await services.user(in: &context) else { return .outcome("unknownDevice") }
      let now = services.clock().millisecondsSince1970
      let saved = DeviceProfileState.saved(of: user).first {
        $0.identifier == identifier && (days == 0 || $0.savedAt >= now - days * 86_400_000)
      }
      guard let saved else { return .outcome("unknownDevice") }
      var differences = 0
      if let before = saved.metadata { differences += before.differences(from: profile["metadata"] ?? .null) }
      if let before = saved.location, before != profile["location"] { differences += 1 }
      return differences <= variance
        ? .outcome("true")
        : context.outcome("false", because: "the device's profile differs in \(differences) values")
    }
  }
}

extension JSONValue {
  /// Whether one is the language of the other: clients used to send the region, too (`en_GB`), and now send the language's code alone.
  private func isSameLanguage(as other: JSONValue?) -> Bool {
    guard let one = stringValue, let other = other?.stringValue else { return false }
    return one == other.prefix { $0 != "_" && $0 != "-" } || other == one.prefix { $0 != "_" && $0 != "-" }
  }

  /// How many values differ. The collector bounds the profile.
  fileprivate func differences(from other: JSONValue) -> Int {
    guard let object = objectValue else { return self == other ? 0 : 1 }
    let present = other.objectValue ?? JSONObject()
    var count = 0
    for (name, value) in object where !(name == "locale" && value.isSameLanguage(as: present[name])) {
      count += value.differences(from: present[name] ?? .null)
    }
    for (name, _) in present where object[name] == nil { count += 1 }
    return count
  }
}
