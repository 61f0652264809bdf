internal import Bytes
internal import Crypto
public import Foundation
public import JOSE
public import StrictJSON

/// The expectations that an ID token must meet (OpenID Connect Core 1.0 §3.1.3.7).
public struct IDTokenExpectations: Sendable {
  /// The provider that was asked.
  public var issuer: String
  /// This client at that provider.
  public var clientID: String
  /// The nonce of the authorization request; `nil` when there was none, as for a refresh.
  public var nonce: String?
  /// The person of the previous token, when this one comes from a refresh (§12.2).
  public var subject: String?
  /// The access token that came with it; `at_hash` must fit when the token has it (§3.1.3.6).
  public var accessToken: String?
  /// The accepted algorithms.
  public var algorithms: Set<JWSAlgorithm>
  /// How far the clocks may differ. Seconds.
  public var skew: TimeInterval = 60

  public init(
    issuer: String, clientID: String, nonce: String? = nil, subject: String? = nil,
    accessToken: String? = nil,
    algorithms: Set<JWSAlgorithm> = ProviderMetadata.publicKeyAlgorithms
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.nonce = nonce
    self.subject = subject
    self.accessToken = accessToken
    self.algorithms = algorithms
  }
}

/// A verified ID token: signature, issuer, audience, time, nonce. Only ``init(_:keys:expecting:now:)`` makes one.
public struct IDToken: Sendable, Hashable {
  /// `sub`: the person, at this issuer.
  public let subject: String
  public let issuer: String
  public let claims: JSONObject

  /// The largest token that is read, in bytes.
  public static let maximumBytes = 64 << 10

  /// Reads and verifies a token.
  ///
  /// - Throws: ``OpenIDError/Code/unknownKey`` when `keys` lacks the key that signed, so that the caller may fetch them again; else
  ///   another ``OpenIDError``.
  public init(
    _ compact: String, keys: SigningKeySet, expecting expected: IDTokenExpectations, now: Date
  ) throws(OpenIDError) {
    let claims = try Self.verifiedClaims(compact, keys: keys, algorithms: expected.algorithms)
    try Self.checkParties(claims, expected)
    try Self.checkTimes(claims, skew: expected.skew, now: now)
    guard let subject = claims["sub"]?.stringValue, (1...255).contains(subject.utf8.count) else {
      throw OpenIDError(.malformed, "The ID token's subject (sub) is missing or too long.")
    }
    if let nonce = expected.nonce, !Self.areEqual(claims["nonce"]?.stringValue, nonce) {
      throw OpenIDError(.otherRequest, "The ID token was made for another sign-in (nonce).")
    }
    if let earlier = expected.subject, !earlier.hasSameBytes(as: subject) {
      throw OpenIDError(.otherParty, "The ID token names another person than the one before (sub).")
    }
    if let token = expected.accessToken, let hash = claims["at_hash"] {
      let algorithm = try Self.header(compact).algorithm
      guard Self.areEqual(hash.stringValue, Self.halfHash(of: token, algorithm)) else {
        throw OpenIDError(.otherRequest, "The ID token came with another access token (at_hash).")
      }
    }
    self.subject = subject
    issuer = expected.issuer
    self.claims = claims
  }

  private static func token(_ compact: String) throws(OpenIDError) -> UnverifiedJWS {
    do throws(JOSEError) {
      return try UnverifiedJWS(compact: compact, limits: JWSLimits(maximumBytes: maximumBytes))
    } catch {
      let code: OpenIDError.Code = error.code == .unsupportedAlgorithm ? .invalidSignature : .malformed
      throw OpenIDError(code, "The ID token is not acceptable: \(error.reason)")
    }
  }

  private static func header(_ compact: String) throws(OpenIDError) -> JWSHeader { try token(compact).header }

  private static func verifiedClaims(
    _ compact: String, keys: SigningKeySet, algorithms: Set<JWSAlgorithm>
  ) throws(OpenIDError) -> JSONObject {
    let token = try token(compact)
    let allowed = algorithms.intersection(ProviderMetadata.publicKeyAlgorithms)
    // Before the keys are looked at: a refused algorithm must not cause another fetch.
    guard allowed.contains(token.header.algorithm) else {
      throw OpenIDError(
        .invalidSignature, "The ID token's algorithm \(token.header.algorithm.rawValue) is not accepted.")
    }
    guard let key = keys.key(for: token.header) else {
      throw OpenIDError(.unknownKey, "The provider publishes no key of the ID token's kid and algorithm.")
    }
    do throws(JOSEError) {
      return try token.verified(with: VerificationKey(key), allowing: allowed).claims()
    } catch {
      throw OpenIDError(.invalidSignature, "The ID token's signature is not accepted: \(error.reason)")
    }
  }

  private static func checkParties(_ claims: JSONObject, _ expected: IDTokenExpectations) throws(OpenIDError)
  {
    guard let issuer = claims["iss"]?.stringValue, ProviderMetadata.areSame(issuer, expected.issuer) else {
      throw OpenIDError(.otherParty, "The ID token's issuer (iss) is not \(expected.issuer).")
    }
    let audience = TokenAudience(claim: claims["aud"]).names
    guard audience.contains(where: { $0.hasSameBytes(as: expected.clientID) }) else {
      throw OpenIDError(.otherParty, "The ID token is for another client (aud).")
    }
    guard audience.count == 1 || claims["azp"] != nil else {
      throw OpenIDError(.otherParty, "The ID token is for several clients, and names none of them (azp).")
    }
    if let party = claims["azp"], party.stringValue?.hasSameBytes(as: expected.clientID) != true {
      throw OpenIDError(.otherParty, "The ID token was issued to another client (azp).")
    }
  }

  private static func checkTimes(
    _ claims: JSONObject, skew: TimeInterval, now: Date
  ) throws(OpenIDError) {
    guard let end = claims["exp"]?.doubleValue, let start = claims["iat"]?.doubleValue else {
      throw OpenIDError(.malformed, "The ID token has no times (exp, iat).")
    }
    let time = now.timeIntervalSince1970
    guard time < end + skew else { throw OpenIDError(.outOfTime, "The ID token has expired (exp).") }
    guard start <= time + skew else {
      throw OpenIDError(.outOfTime, "The ID token is from the future (iat).")
    }
    if let first = claims["nbf"]?.doubleValue, first > time + skew {
      throw OpenIDError(.outOfTime, "The ID token is not valid yet (nbf).")
    }
  }

  /// `at_hash` of an access token: the left half of the hash that belongs to `algorithm`, in base64url (§3.1.3.6).
  package static func halfHash(of token: String, _ algorithm: JWSAlgorithm) -> String {
    let bytes = Array(token.utf8)
    let hash: [UInt8] =
      switch algorithm {
      case .rs384: Array(SHA384.hash(data: bytes))
      case .rs512: Array(SHA512.hash(data: bytes))
      default: Array(SHA256.hash(data: bytes))
      }
    return Base64URL.encode(hash.prefix(hash.count / 2))
  }

  private static func areEqual(_ one: String?, _ other: String) -> Bool {
    one.map { ConstantTime.areEqual($0.utf8, other.utf8) } ?? false
  }
}
