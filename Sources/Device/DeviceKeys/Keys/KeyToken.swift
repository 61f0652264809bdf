internal import Bytes

/// A token, such as a smart card, whose own PIN unlocks the keys in it. The token itself reports its names.
public struct KeyToken: Sendable, Hashable {
  /// The name that the token was given.
  public let label: String
  public let manufacturer: String
  public let model: String
  public let serialNumber: String
  /// Whether the token reports itself as a program that keeps its keys in files, which protects them no better than any file.
  public let isSoftware: Bool
  /// How many wrong PINs the token still accepts; `nil` when it does not say or is not there.
  public let pinTries: PINTries?

  public init(
    label: String, manufacturer: String, model: String, serialNumber: String, isSoftware: Bool,
    pinTries: PINTries? = nil
  ) {
    self.label = label
    self.manufacturer = manufacturer
    self.model = model
    self.serialNumber = serialNumber
    self.isSoftware = isSoftware
    self.pinTries = pinTries
  }

  /// The description of the token on one line, for the person.
  public var text: String {
    // What matters comes first: screens cut long lines off.
    let facts = [
      isSoftware ? "software" : "", [manufacturer, model].filter { !$0.isEmpty }.joined(separator: " "),
      serialNumber.isEmpty ? "" : "serial number \(serialNumber)",
    ]
    return "\(label) (\(facts.filter { !$0.isEmpty }.joined(separator: ", ")))".onOneLine
  }
}
