public import DeviceKeys
package import PingBinding

#if canImport(Security)
  public import Security
#else
  public import JOSE
#endif

/// A new, unlocked key pair.
///
/// Its keys are `SecKey`s on Apple platforms, and `DeviceKey` and `JWK` elsewhere.
public struct KeyPair: Sendable {
  package let pair: PingBinding.KeyPair

  /// The private key's name in the key store.
  public var keyAlias: String { pair.keyTag }

  /// The pair of an unlocked key.
  public init(_ key: any DeviceKey) { self.init(PingBinding.KeyPair(key)) }

  package init(_ pair: PingBinding.KeyPair) { self.pair = pair }

  #if canImport(Security)
    public var privateKey: SecKey { pair.privateKey }
    public var publicKey: SecKey { pair.publicKey }

    /// - Parameter publicKey: Ignored: the public key is derived from the private key.
    /// - Throws: `DeviceKeyError` when `privateKey` is not a private key on P-256.
    public init(privateKey: SecKey, publicKey: SecKey? = nil, keyAlias: String) throws {
      self.init(try PingBinding.KeyPair(publicKey: publicKey, privateKey: privateKey, keyTag: keyAlias))
    }
  #else
    public var privateKey: any DeviceKey { pair.privateKey }
    public var publicKey: JWK { pair.publicKey }
  #endif
}
