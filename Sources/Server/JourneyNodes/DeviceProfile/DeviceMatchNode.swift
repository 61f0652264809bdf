internal import Bytes
internal import JourneyEngine
internal import StrictJSON

/// Compares the collected device profile with the one that was saved of the same device: `true` when they differ in no more than
/// `acceptableVariance` values, `unknownDevice` when none was saved, or only too long ago. A profile is what the client claims, and proves
/// nothing.
struct DeviceMatchNode: JourneyNode {
  let outcomes = ["true", "false", "unknownDevice"]
  let stateInputs = [DeviceProfileState.key, StateKey.username]
  let warnings: [String]
  private let services: NodeServices
  private let variance: Int
  private let days: Int64

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    variance = try definition.integer("acceptableVariance", default: 0, in: 0...1000, clamping: .down)
    days = Int64(try definition.integer("expiration", default: 30, in: 0...36_500, clamping: .down))
    warnings =
      try definition.flag("useScript", default: false, instead: true)
      ? ["the script is not run here: profiles are compared by acceptableVariance and expiration"] : []
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let profile = context.state[DeviceProfileState.key],
      let identifier = profile["identifier"]?.stringValue
    else { throw NodeError("there is no device profile; put a DeviceProfileCollectorNode before this node") }
    // A name that nobody has is like a user without devices.
    guard let user = try await services.user(in: &context) else { return .outcome("unknownDevice") }
    let now = services.clock().millisecondsSince1970
    let saved = DeviceProfileState.saved(of: user).first {
      $0.identifier == identifier && (days == 0 || now - $0.savedAt <= days * 86_400_000)
    }
    guard let saved else { return .outcome("unknownDevice") }
    var differences = 0
    if let before = saved.metadata { differences += Self.differences(before, profile["metadata"] ?? .null) }
    if let before = saved.location, before != profile["location"] { differences += 1 }
    return differences <= variance
      ? .outcome("true")
      : context.outcome("false", because: "the device's profile differs in \(differences) values")
  }

  /// Whether one is the language of the other: clients used to say the region, too (`en_GB`), and say the language's code now.
  private static func isSameLanguage(_ one: JSONValue, _ other: JSONValue?) -> Bool {
    guard let one = one.stringValue, let other = other?.stringValue else { return false }
    return one == other.prefix { $0 != "_" && $0 != "-" } || other == one.prefix { $0 != "_" && $0 != "-" }
  }

  /// How many values differ. The collector bounds the profile.
  private static func differences(_ one: JSONValue, _ other: JSONValue) -> Int {
    guard let object = one.objectValue else { return one == other ? 0 : 1 }
    let present = other.objectValue ?? JSONObject()
    var count = 0
    for (name, value) in object where !(name == "locale" && isSameLanguage(value, present[name])) {
      count += differences(value, present[name] ?? .null)
    }
    for (name, _) in present where object[name] == nil { count += 1 }
    return count
  }
}
