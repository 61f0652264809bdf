public import DeviceKeys
public import JOSE

/// A new key: the public part for the server, and the private part, unlocked.
///
/// `publicKey` and `privateKey` are the published names, and what they are is the platform's: `SecKey` on Apple's, ``jwk``
/// and ``deviceKey`` elsewhere.
public struct KeyPair: Sendable {
  /// The private part, unlocked.
  public let deviceKey: any DeviceKey
  /// The public part, without a key id.
  public let jwk: JWK
  /// The name under which the key store finds the private key.
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
