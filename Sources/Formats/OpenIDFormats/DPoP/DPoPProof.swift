internal import Bytes
internal import Crypto
public import Foundation
public import JOSE
internal import StrictJSON

/// Proofs that the sender of a request has a key, so that a token bound to it is useless to others (RFC 9449).
public enum DPoPProof {
  /// The header's `typ` (§4.2).
  static let type = "dpop+jwt"

  /// The algorithms of proofs that ``verify(_:method:url:accessToken:nonces:now:)`` accepts: public-key ones only.
  public static let algorithms: Set<JWSAlgorithm> = [.es256, .rs256]

  /// How long ago a proof may have been made, and how far the client's clock may be ahead (`iat`). Seconds.
  private static let window: TimeInterval = 60

  /// Makes the value of the header `DPoP` for one request (§4.2).
  ///
  /// - Parameters:
  ///   - method: the request's method, in capitals.
  ///   - url: the request's address; its query and fragment are left out.
  ///   - accessToken: the token that the request carries, if any.
  ///   - nonce: the nonce that the server sent in `DPoP-Nonce`, if any.
  ///   - time: now.
  ///   - id: `jti`, drawn anew for each proof: at least 96 random bits.
  ///   - signer: the key.
  /// - Throws: what the signer throws, and ``JOSEError``.
  public static func make(
    method: String, url: String, accessToken: String? = nil, nonce: String? = nil, at time: Date, id: String,
    signer: some DPoPSigner
  ) async throws -> String {
    var claims: JSONObject = [
      "jti": .string(id), "htm": .string(method), "htu": .string(withoutQuery(url)),
      "iat": .integer(Int64(time.timeIntervalSince1970.rounded(.down))),
    ]
    claims["ath"] = accessToken.map { .string(hash(ofToken: $0)) }
    claims["nonce"] = nonce.map { .string($0) }
    // Only the members that make up the key, because the server needs no others.
    var key = signer.publicKey.json
    for name in ["use", "alg", "kid"] { key[name] = nil }
    let header = JWSHeader(algorithm: signer.algorithm, type: type, jwk: try JWK(json: key))
    return try await JWS.compact(header: header, claims: claims, signer: signer)
  }

  /// Checks a proof against the request that carried it (§4.3). The caller decides whether its id was used before, in one conditional write
  /// of ``VerifiedDPoPProof/replayKey``.
  ///
  /// - Parameters:
  ///   - compact: the value of the only header `DPoP`.
  ///   - method: the request's method.
  ///   - url: the request's address as the client sees it.
  ///   - accessToken: the token that the request carries; the proof must be made for it, and for none if there is none.
  ///   - nonces: the server's nonces that are valid now; empty when it asks for none.
  ///   - now: the verifier's time.
  public static func verify(
    _ compact: String, method: String, url: String, accessToken: String? = nil, nonces: [String] = [],
    now: Date
  ) throws(DPoPError) -> VerifiedDPoPProof {
    let (key, claims) = try signed(compact)
    guard let id = claims["jti"]?.stringValue, (1...256).contains(id.utf8.count),
      let proofMethod = claims["htm"]?.stringValue, let proofURL = claims["htu"]?.stringValue,
      let seconds = claims["iat"]?.doubleValue
    else { throw DPoPError(.malformed, "A claim of jti, htm, htu and iat is missing or of the wrong type.") }
    guard proofMethod == method else {
      throw DPoPError(.otherRequest, "The proof is for another method (htm).")
    }
    guard let expected = HTTPAddress(url), HTTPAddress(proofURL) == expected else {
      throw DPoPError(.otherRequest, "The proof is for another address (htu) than \(withoutQuery(url)).")
    }
    let time = Date(timeIntervalSince1970: seconds)
    guard time >= now.addingTimeInterval(-window), time <= now.addingTimeInterval(window) else {
      throw DPoPError(.outOfTime, "The proof was not made within the accepted time (iat).")
    }
    let nonce = claims["nonce"]?.stringValue
    guard nonces.isEmpty || nonces.contains(where: { areEqual($0, nonce ?? "") }) else {
      throw DPoPError(.wrongNonce, "The server's nonce is missing, or is not one that is good now.")
    }
    let proofHash = claims["ath"]
    if let accessToken {
      guard let text = proofHash?.stringValue, areEqual(text, hash(ofToken: accessToken)) else {
        throw DPoPError(.otherToken, "The proof is not for the access token of the request (ath).")
      }
    } else if proofHash != nil {
      throw DPoPError(.otherToken, "The proof is for an access token (ath), and the request has none.")
    }
    return VerifiedDPoPProof(
      thumbprint: key.thumbprint, id: id, time: time, expiry: time.addingTimeInterval(window),
      nonce: nonce)
  }

  /// `ath`: the SHA-256 of an access token in base64url (§4.2).
  public static func hash(ofToken token: String) -> String {
    Base64URL.encode(SHA256.hash(data: Array(token.utf8)))
  }

  /// The key of a proof and what it signed.
  private static func signed(_ compact: String) throws(DPoPError) -> (key: JWK, claims: JSONObject) {
    do throws(JOSEError) {
      let token = try UnverifiedJWS(compact: compact)
      guard token.header.type == type else {
        throw JOSEError(.malformed, "The token's type (typ) is not \(type).")
      }
      guard let jwk = token.header.jwk else {
        throw JOSEError(.invalidKey, "The header has no public key (jwk).")
      }
      let key = try JWK(json: jwk)
      return (key, try token.verified(with: VerificationKey(key), allowing: algorithms).claims())
    } catch {
      throw DPoPError(.malformed, "The proof is not acceptable: \(error.reason)")
    }
  }

  private static func areEqual(_ one: String, _ other: String) -> Bool {
    ConstantTime.areEqual(one.utf8, other.utf8)
  }

  private static func withoutQuery(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }) }
}

/// A proof that holds for its request, unless its ``replayKey`` was seen before.
public struct VerifiedDPoPProof: Sendable, Hashable {
  /// The SHA-256 thumbprint of the key in base64url (RFC 7638): `jkt` of the tokens bound to it.
  public let thumbprint: String

  /// `jti`.
  public let id: String

  /// `iat`.
  public let time: Date

  /// The time from which the proof is too old; until then the ``replayKey`` must be remembered.
  public let expiry: Date

  /// `nonce`, as the client sent it.
  public let nonce: String?

  /// What is used up by accepting the proof: a hash over the key and `jti`.
  public var replayKey: [UInt8] {
    Array(SHA256.hash(data: Array("dpop \(thumbprint) \(id)".utf8)))
  }
}
