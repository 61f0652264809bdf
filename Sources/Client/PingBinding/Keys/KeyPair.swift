public import DeviceKeys
public import JOSE

/// A new key: the public part for the server, and the private part, unlocked.
public struct KeyPair: Sendable {
  public let publicKey: JWK
  public let privateKey: any DeviceKey
  /// The name under which the key store finds the private key.
  public let keyTag: String

  public init(publicKey: JWK, privateKey: any DeviceKey, keyTag: String) {
    self.publicKey = publicKey
    self.privateKey = privateKey
    self.keyTag = keyTag
  }

  /// The pair of an unlocked key.
  public init(_ key: any DeviceKey) {
    self.init(publicKey: key.publicKey, privateKey: key, keyTag: key.tag)
  }
}
