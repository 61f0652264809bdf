public import Bytes
internal import Crypto

/// Binds an authorization code to the client that asked for it (PKCE, RFC 7636). The verifier is a secret.
public struct ProofKey: Sendable, Redacted {
  /// `code_verifier`: 86 characters from 64 random bytes.
  public let verifier: String

  /// A fresh proof key.
  public init() { self.init(verifier: Base64URL.encode(SystemRandom.bytes(64))) }

  /// The proof key with this `verifier`.
  public init(verifier: String) { self.verifier = verifier }

  /// `code_challenge` for ``method`` (§4.2).
  public var challenge: String { Base64URL.encode(SHA256.hash(data: Array(verifier.utf8))) }

  /// `code_challenge_method`.
  public static let method = "S256"
}
