internal import Bytes
internal import Crypto
internal import OpenIDFormats

/// Binds an authorization code to the request that asked for it (RFC 7636), with the request's state.
public struct Pkce: Sendable {
  /// A secret until the code is exchanged.
  public let codeVerifier: String
  public let codeChallenge: String
  /// `S256`.
  public let codeChallengeMethod: String
  /// The state of the request, unless the configuration sets one.
  public let state: String

  /// Returns fresh random values.
  public static func generate() -> Pkce {
    let key = ProofKey()
    return Pkce(
      codeVerifier: key.verifier, codeChallenge: key.challenge, codeChallengeMethod: ProofKey.method,
      state: Base64URL.encode(SystemRandom.bytes(32)))
  }

  /// The nonce of the request. It is derived from the verifier, so an app that keeps only this value while the browser is open
  /// can still check the ID token. The provider cannot compute the verifier from it (OpenID Connect Core 1.0 §15.5.2).
  var nonce: String { Base64URL.encode(SHA256.hash(data: Array("nonce \(codeVerifier)".utf8))) }
}

extension Pkce: CustomStringConvertible, CustomReflectable {
  /// The description omits the verifier.
  public var description: String {
    "Pkce(codeVerifier: redacted, codeChallengeMethod: \(codeChallengeMethod))"
  }
  public var customMirror: Mirror { Mirror(self, children: ["codeChallengeMethod": codeChallengeMethod]) }
}
