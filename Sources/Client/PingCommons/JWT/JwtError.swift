public import Foundation

/// Why a JWT could not be made, read or checked.
public enum JwtError: Error, LocalizedError, Sendable {
  /// The shared secret is empty or not standard Base64.
  case invalidSecret(String)

  /// The text is not three Base64url parts joined by dots.
  case invalidFormat(String)

  /// The payload is not a JSON object.
  case invalidPayload(String)

  /// The key did not sign.
  case signingFailed(String)

  /// A value has no JSON form, or is not the expected JSON.
  case failToConvertData(String)

  /// The algorithm does not fit the key.
  case unsupportedAlgorithm(String)

  public var errorDescription: String? {
    switch self {
    case .invalidSecret(let reason): "The shared secret cannot be used: \(reason)"
    case .invalidFormat(let reason): "This is not a signed JWT: \(reason)"
    case .invalidPayload(let reason): "The JWT has no claims: \(reason)"
    case .signingFailed(let reason): "The JWT was not signed: \(reason)"
    case .failToConvertData(let reason): "It cannot be converted to or from JSON: \(reason)"
    case .unsupportedAlgorithm(let reason): "The algorithm does not fit: \(reason)"
    }
  }
}
