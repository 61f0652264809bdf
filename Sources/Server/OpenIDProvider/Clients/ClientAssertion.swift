internal import Bytes
internal import Crypto
package import Foundation
internal import JOSE
internal import OpenIDFormats
internal import StrictJSON

/// A client's signed statement that it is the client (RFC 7523 §3, OpenID Connect Core §9).
package struct ClientAssertion: Sendable {
  /// `client_assertion_type`.
  package static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  /// The longest accepted lifetime in seconds, which is Authlib's default. Each assertion is accepted once.
  private static let longestLife: TimeInterval = 3600
  private static let skew: TimeInterval = 60

  /// The key under which the assertion is stored as used.
  package let replayKey: [UInt8]

  /// When ``replayKey`` may be forgotten.
  package let expiry: Date

  /// The client that an assertion claims to be; unverified.
  package static func claimedClient(_ compact: String) -> String? {
    guard let payload = try? UnverifiedJWS.payload(of: compact),
      let claims = try? JSONObject(
        parsing: payload, limits: JSONLimits(maximumBytes: 16 << 10, maximumDepth: 16))
    else { return nil }
    return claims["sub"]?.stringValue
  }

  /// Verifies an assertion. The caller checks by ``replayKey`` that it was not used before.
  ///
  /// - Parameter audiences: the issuer and the address of the endpoint.
  package init(
    verifying compact: String, client: OpenIDClient, audiences: Set<String>, now: Date
  ) throws(OAuthError) {
    let claims: JSONObject
    do throws(JOSEError) {
      let token = try UnverifiedJWS(compact: compact)
      let keys = client.keys.filter {
        token.header.keyID == nil || $0.keyID == nil || $0.keyID == token.header.keyID
      }
      guard !keys.isEmpty else { throw JOSEError(.invalidKey, "no registered key has its kid") }
      var verified: VerifiedJWS?
      for key in keys where verified == nil {
        verified = try? token.verified(with: VerificationKey(key), allowing: [.es256, .rs256])
      }
      guard let verified else { throw JOSEError(.invalidSignature, "no registered key verifies it") }
      claims = try verified.claims()
    } catch { throw Self.refusal(error.reason) }
    guard claims["iss"]?.stringValue == client.id, claims["sub"]?.stringValue == client.id else {
      throw Self.refusal("iss and sub must be the client's id")
    }
    guard TokenAudience(claim: claims["aud"]).names.contains(where: audiences.contains) else {
      throw Self.refusal("aud must be this issuer")
    }
    guard let end = claims["exp"]?.doubleValue, let id = claims["jti"]?.stringValue,
      (1...256).contains(id.utf8.count)
    else { throw Self.refusal("exp and jti are required") }
    let expiry = Date(timeIntervalSince1970: end)
    guard expiry > now.addingTimeInterval(-Self.skew) else { throw Self.refusal("it has expired") }
    guard expiry < now.addingTimeInterval(Self.longestLife + Self.skew) else {
      throw Self.refusal("it lives longer than \(Int(Self.longestLife)) seconds")
    }
    for name in ["nbf", "iat"] {
      guard let value = claims[name] else { continue }
      guard let time = value.doubleValue, time < now.addingTimeInterval(Self.skew).timeIntervalSince1970
      else {
        throw Self.refusal("\(name) is in the future")
      }
    }
    self.expiry = expiry.addingTimeInterval(Self.skew)
    replayKey = Array(SHA256.hash(data: Array("client assertion \(client.realm) \(client.id) \(id)".utf8)))
  }

  private static func refusal(_ cause: String) -> OAuthError {
    OAuthError(
      .invalidClient, "The client is unknown or did not prove itself.", cause: "the assertion: \(cause)")
  }
}
