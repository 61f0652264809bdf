public import Crypto
internal import Foundation

/// The settings for Apple's push service, with token authentication.
public struct APNsConfiguration: Sendable {
  /// The environment that issues an app's tokens: the sandbox for apps under development, production for all others.
  public enum Environment: String, Sendable, Hashable, CaseIterable {
    case production, sandbox

    var host: String {
      switch self {
      case .production: "https://api.push.apple.com"
      case .sandbox: "https://api.sandbox.push.apple.com"
      }
    }

    var other: Self { self == .production ? .sandbox : .production }
  }

  /// The team's key for APNs (`AuthKey_….p8`).
  public let key: P256.Signing.PrivateKey

  /// The key's id: 10 letters and digits.
  public let keyID: String

  /// The team's id: 10 letters and digits.
  public let teamID: String

  /// The app's bundle id.
  public let topic: String

  /// The environment that is tried first.
  public let environment: Environment

  /// - Throws: ``PushConfigurationError`` for ids that Apple cannot have assigned.
  public init(
    key: P256.Signing.PrivateKey, keyID: String, teamID: String, topic: String,
    environment: Environment = .production
  ) throws(PushConfigurationError) {
    for (id, name) in [(keyID, "key id"), (teamID, "team id")] {
      guard id.utf8.count == 10, id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
        throw PushConfigurationError(
          "The \(name) for APNs must have 10 letters and digits. Copy it from the developer account's page of the key."
        )
      }
    }
    guard (1...255).contains(topic.utf8.count),
      topic.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") })
    else {
      throw PushConfigurationError(
        "The topic for APNs must be the app's bundle id, such as com.example.signer.")
    }
    self.key = key
    self.keyID = keyID
    self.teamID = teamID
    self.topic = topic
    self.environment = environment
  }

  /// Creates the configuration with the key in Apple's file format.
  ///
  /// - Parameter pem: the contents of `AuthKey_….p8` (PKCS #8 in PEM).
  public init(
    pem: String, keyID: String, teamID: String, topic: String, environment: Environment = .production
  ) throws(PushConfigurationError) {
    let key: P256.Signing.PrivateKey
    // The cause is left out: it could quote the key.
    do { key = try P256.Signing.PrivateKey(pemRepresentation: pem) } catch {
      throw PushConfigurationError(
        "The key for APNs is not a P-256 private key in PEM. Use the file AuthKey_….p8 from the developer account."
      )
    }
    try self.init(key: key, keyID: keyID, teamID: teamID, topic: topic, environment: environment)
  }
}
