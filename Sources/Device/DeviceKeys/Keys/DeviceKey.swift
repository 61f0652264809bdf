public import JOSE

/// A private key of this device that signs and never shows its bytes. ES256 only (RFC 7518 §3.4).
///
/// Whoever holds the object can sign: it stands for a key that has been unlocked. Let go of it when the signature is made.
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
