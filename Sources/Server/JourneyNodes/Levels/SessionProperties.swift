internal import JourneyEngine
internal import StrictJSON

extension JourneyState {
  /// Session properties of one run, and the longest of them.
  static let mostSessionProperties = 32
  private static let longestName = 128
  private static let longestValue = 1024

  /// Names of the server's own session properties.
  private static let ownProperties: Set<String> = [
    "amctxid", "authlevel", "service", "authinstant", "usertoken", "userid", "principal", "principals",
  ]

  /// Notes a property for the session that a success makes.
  ///
  /// - Returns: why it may not be set, as one sentence; `nil` when it is.
  mutating func setSessionProperty(_ name: String, _ value: JSONValue) -> String? {
    guard (1...Self.longestName).contains(name.utf8.count), !Self.ownProperties.contains(name.lowercased()),
      !name.lowercased().hasPrefix("am.")
    else { return "the session property \(name.quoted) may not be set" }
    guard let text = value.stringValue, text.utf8.count <= Self.longestValue else {
      return "the session property \(name.quoted) is not a text, or is longer than \(Self.longestValue) bytes"
    }
    guard sessionProperties[name] != nil || sessionProperties.count < Self.mostSessionProperties else {
      return "a run may set \(Self.mostSessionProperties) session properties at most"
    }
    sessionProperties[name] = .string(text)
    return nil
  }
}
