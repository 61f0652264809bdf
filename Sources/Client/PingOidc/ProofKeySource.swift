public import DeviceKeys
internal import JOSE

/// A key of this device to which tokens are bound (DPoP, RFC 9449).
///
/// Every request with such a token carries a proof that is signed with the key, so that a token alone is of no use. The key is
/// asked for once for each exchange with the provider; one that a PIN or a person unlocks asks each time.
public protocol ProofKeySource: Sendable {
  /// The key, unlocked. The same one as long as tokens are bound to it: with another key they are lost, and the person signs in
  /// anew.
  func proofKey() async throws -> any DeviceKey

  /// The thumbprint of the key (RFC 7638) if it can be told without asking anybody; `nil`, the default, if not.
  ///
  /// A journey's session and a browser of PingOidc then ask for a code that is of no use without the key, either (RFC 9449 §10).
  func thumbprint() async throws -> String?
}

extension ProofKeySource {
  public func thumbprint() async throws -> String? { nil }
}

/// A key that needs no unlocking, such as one that the app itself has made in a `DeviceKeyStore`.
public struct OpenProofKey: ProofKeySource {
  private let key: any DeviceKey

  public init(_ key: any DeviceKey) { self.key = key }

  public func proofKey() -> any DeviceKey { key }

  public func thumbprint() -> String? { key.publicKey.thumbprint }
}
