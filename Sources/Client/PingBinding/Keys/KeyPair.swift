public import DeviceKeys
public import JOSE

/// A new key: the public part for the server, and the private part, unlocked.
///
/// The published names `publicKey` and `privateKey` have the platform's types: `SecKey` on Apple platforms, those of ``jwk``
/// and ``deviceKey`` elsewhere.
public struct KeyPair: Sendable {
  /// The private part, unlocked.
  public let deviceKey: any DeviceKey
  /// The public part, without a key id.
  public let jwk: JWK
  /// The private key's name in the key store.
  public let keyTag: String

  public init(publicKey: JWK, privateKey: any DeviceKey, keyTag: String) {
    jwk = publicKey
    deviceKey = privateKey
    self.keyTag = keyTag
  }

  /// The pair of an unlocked key.
  public init(_ key: any DeviceKey) {
    self.init(publicKey: key.publicKey, privateKey: key, keyTag: key.tag)
  }
}
