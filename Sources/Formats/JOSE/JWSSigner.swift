public import Crypto

/// Signs a JWS signing input, asynchronously: a TPM or a Secure Enclave may stand behind it.
public protocol JWSSigner: Sendable {
  /// The algorithm of ``signature(for:)``, which goes into the header.
  var algorithm: JWSAlgorithm { get }

  /// The JWS signature over `signingInput` (RFC 7515 §5.1 step 5): r ‖ s in 64 bytes for ES256, the MAC for
  /// HS256. Hashing is part of it.
  func signature(for signingInput: [UInt8]) async throws -> [UInt8]
}

/// Signs ES256 with a P-256 key in memory.
public struct P256Signer: JWSSigner {
  private let privateKey: P256.Signing.PrivateKey

  public init(privateKey: P256.Signing.PrivateKey) { self.privateKey = privateKey }

  public var algorithm: JWSAlgorithm { .es256 }

  public func signature(for signingInput: [UInt8]) throws -> [UInt8] {
    try privateKey.signature(for: signingInput).withUnsafeBytes { [UInt8]($0) }
  }
}

/// Signs HS256 with a shared secret.
public struct HMACSigner: JWSSigner {
  private let secret: SymmetricSecret

  public init(secret: SymmetricSecret) { self.secret = secret }

  public var algorithm: JWSAlgorithm { .hs256 }

  public func signature(for signingInput: [UInt8]) -> [UInt8] {
    [UInt8](HMAC<SHA256>.authenticationCode(for: signingInput, using: secret.key))
  }
}
