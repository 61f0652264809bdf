/// What the person has to do about a message.
public enum PushMessageType: String, Sendable, Hashable, CaseIterable {
  /// Tap to accept.
  case `default`
  /// Choose the number that the login page shows, or type its code.
  case challenge
  /// Prove who they are to the device.
  case biometric

  /// The type that `text` names, whatever its case.
  public init?(ignoringCase text: String) { self.init(rawValue: text.lowercased()) }
}
