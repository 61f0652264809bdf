internal import Bytes
internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
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
        $0.identifier == identifier && (days == 0 || now - $0.savedAt <= days * 86_400_000)
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
  /// Whether one is the language of the other: clients used to say the region, too (`en_GB`), and say the language's code now.
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
