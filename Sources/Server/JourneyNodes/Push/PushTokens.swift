internal import Crypto
internal import Foundation
internal import JOSE
internal import JourneyStore
internal import StrictJSON

/// The tokens that server and device exchange: JWS with the shared secret (HS256), and the answer to a challenge.
enum PushTokens {
  /// Longest token taken from a device, in bytes.
  static let limits = JWSLimits(maximumBytes: 12 << 10, maximumDepth: 4)

  /// Signs claims for a device.
  static func sign(_ claims: JSONObject, secret: StoredSecret) async throws -> String {
    try await JWS.compact(
      header: JWSHeader(algorithm: .hs256, type: "JWT"), claims: claims,
      signer: HMACSigner(secret: try SymmetricSecret(secret.reveal())))
  }

  /// The claims of a token that this secret has signed; `nil` for every other.
  static func claims(of token: UnverifiedJWS, secret: StoredSecret) -> JSONObject? {
    guard let secret = try? SymmetricSecret(secret.reveal()) else { return nil }
    return try? token.verified(with: VerificationKey(secret: secret), allowing: [.hs256]).claims()
  }

  /// Whether `text` is the answer to `challenge`: HMAC-SHA256 under the shared secret, in standard Base64. The comparison takes
  /// the same time wherever the two differ.
  static func isResponse(_ text: String?, to challenge: StoredSecret, secret: StoredSecret) -> Bool {
    guard let text, text.utf8.count <= 64, let code = Data(base64Encoded: text) else { return false }
    return HMAC<SHA256>.isValidAuthenticationCode(
      code, authenticating: challenge.reveal(), using: SymmetricKey(data: secret.reveal()))
  }
}
