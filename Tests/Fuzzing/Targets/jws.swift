import JOSE
import StrictJSON

extension FuzzTarget {
  /// Only what the fixed keys signed verifies, each algorithm under its own key only.
  static let jws = FuzzTarget(
    seeds: { signedTokens.map { Array($0.utf8) } },
    text: { text in
      guard let token = try? UnverifiedJWS(compact: text) else { return }
      expect(text.utf8.count <= JWSLimits.standard.maximumBytes, "a long token is read")
      expect(
        token.compact == text && text.hasPrefix(String(decoding: token.signingInput, as: UTF8.self)),
        "a token changes")
      for key in verificationKeys {
        guard let verified = try? token.verified(with: key, allowing: Set(JWSAlgorithm.allCases)) else {
          continue
        }
        expect(signedInputs.contains(verified.signingInput), "a token verifies that nobody signed")
        expect(key.algorithms.contains(verified.header.algorithm), "a key verifies another algorithm")
        _ = try? verified.claims()
      }
    })

  private static let signedTokens = [
    FixedKeys.token(["alg": "HS256", "typ": "JWT"], ["sub": "ada", "exp": 1_800_000_000]),
    FixedKeys.token(["alg": "ES256", "kid": "fixed", "typ": "JWS"], ["sub": "ada", "challenge": "aGk="]),
    FixedKeys.token(["alg": "ES256", "jwk": .object(FixedKeys.jwk.json)], Array("no claims".utf8)),
  ]

  private static let signedInputs = Set(
    signedTokens.map { Array($0.utf8.prefix(upTo: $0.lastIndex(of: ".") ?? $0.endIndex)) })

  private static let verificationKeys: [VerificationKey] =
    [
      try? VerificationKey(FixedKeys.jwk),
      (try? SymmetricSecret(FixedKeys.secret)).map(VerificationKey.init(secret:)),
    ]
    .compactMap(\.self)
}
