internal import JourneyEngine
internal import StrictJSON

/// Tells whether a journey adds no second method. Such a journey succeeds at once for an account that has one, so the account pages have to
/// say so beforehand.
enum MethodLimit {
  /// Nodes that register one device of an account, unless their definition allows several.
  private static let single: Set<String> = ["PushRegistrationNode", "OathRegistrationNode"]

  /// - Parameter journey: the journey's document, as it was loaded.
  static func isOne(_ journey: JSONObject?) -> Bool {
    let nodes = (journey?["nodes"]?.objectValue ?? JSONObject()).map(\.value)
    return nodes.contains { node in
      node["_type"]?["_id"]?.stringValue.map(single.contains) == true
        && node["allowMultipleDevices"]?.boolValue != true
    }
  }
}
