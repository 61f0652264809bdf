/// Why bytes from outside were refused, or a value could not be made.
public struct PushFormatError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault. More codes may be added, so compare with the known ones.
  public enum Code: String, Sendable, Hashable {
    /// Longer than the limits of ``PushFormatLimits``.
    case tooLarge
    /// Not the form that the protocol asks for.
    case malformed
    /// A required parameter or claim is absent or empty; the reason begins with its name.
    case missing
    /// The issuer of the label and the parameter `issuer` are different.
    case issuerMismatch
    /// The secret has fewer than 32 or more than 64 bytes.
    case unsuitableSecret
    /// The token has no valid HS256 signature by this secret.
    case invalidSignature
  }

  public let code: Code

  /// One sentence for the operator. Never contains secrets, challenges or tokens.
  public let reason: String

  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  public var description: String { "\(code): \(reason)" }
}

/// Bounds on what is read from outside.
public enum PushFormatLimits {
  /// Longest enrolment URI in bytes.
  public static let uriBytes = 16 << 10
  /// Longest request body in bytes.
  public static let bodyBytes = 16 << 10
  /// Longest signed message in bytes.
  public static let tokenBytes = 16 << 10
  /// Longest name, identifier, or device token in bytes.
  public static let textBytes = 4096
  /// Longest reason of a denial in characters.
  public static let reasonCharacters = 200
  /// Most messages in the answer to one poll.
  public static let messagesPerPoll = 64
  /// Longest time that a poll may be held, in seconds.
  public static let pollSeconds = 30
  /// How far apart `iat` of a poll and the server's clock may be, in seconds.
  public static let pollSkewSeconds = 60
}
