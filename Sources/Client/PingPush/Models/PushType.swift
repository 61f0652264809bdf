/// What the person must do to approve a notification.
public enum PushType: String, CaseIterable, Codable, Sendable {
  /// Tap to approve.
  case `default` = "default"

  /// Choose the number that the sign-in page shows, or type its code when ``PushNotification/codeLength`` is set.
  case challenge = "challenge"

  /// Authenticate to the device, then approve.
  case biometric = "biometric"

  /// The type of that name, whatever its case.
  ///
  /// - Throws: ``PushError/invalidPushType(_:)``
  public static func fromString(_ string: String) throws -> PushType {
    guard let type = PushType(rawValue: string.lowercased()) else {
      throw PushError.invalidPushType(string)
    }
    return type
  }
}

/// The kind of server that a credential belongs to.
public enum PushPlatform: String, CaseIterable, Codable, Sendable {
  /// PingAM, PingOne Advanced Identity Cloud, or a server that speaks the same protocol.
  case pingAM = "pingam"

  /// The platform of that name: `pingam`, `ping_am` or `ping-am`, whatever its case.
  ///
  /// - Throws: ``PushError/invalidPlatform(_:)``
  public static func fromString(_ string: String) throws -> PushPlatform {
    guard ["pingam", "ping_am", "ping-am"].contains(string.lowercased()) else {
      throw PushError.invalidPlatform(string)
    }
    return .pingAM
  }
}
