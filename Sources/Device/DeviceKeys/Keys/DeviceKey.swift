public import JOSE

/// A private key of this device that signs and never shows its bytes. ES256 only (RFC 7518 §3.4).
///
/// Holding the object is enough to sign: it stands for an unlocked key. Release it when the signature is made.
public protocol DeviceKey: JWSSigner {
  /// The name under which its store finds it.
  var tag: String { get }

  /// The public key, without a key id.
  var publicKey: JWK { get }
}

extension DeviceKey {
  /// ES256.
  public var algorithm: JWSAlgorithm { .es256 }
}
