public import DeviceKeys
internal import JOSE

/// A key of this device to which tokens are bound (DPoP, RFC 9449).
///
/// Every request with such a token carries a proof that is signed with the key, so that a token alone is of no use. The key is
/// requested once for each exchange with the provider; a key that a person has to unlock, for instance with a PIN, asks each time.
public protocol ProofKeySource: Sendable {
  /// Returns the unlocked key. It must stay the same while tokens are bound to it: with another key they are lost, and the person
  /// has to sign in again.
  func proofKey() async throws -> any DeviceKey

  /// Returns the thumbprint of the key (RFC 7638) if nobody has to be asked for it; otherwise `nil`, the default.
  ///
  /// With a thumbprint, sign-ins by a journey's session or PingOidc's browser request a code that is of no use without the key
  /// (RFC 9449 §10).
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
