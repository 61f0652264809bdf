public import Bytes
internal import JOSE
internal import StrictJSON

/// The secret that one device shares with the server. Never printed; compared in constant time.
///
/// It signs in both directions (HS256) and answers challenges (HMAC-SHA256, RFC 2104).
public struct PushSecret: Sendable, Redacted {
  private let secret: SymmetricSecret

  /// How many bytes a new secret has.
  public static let standardCount = 32

  /// The accepted lengths of another server's secret, in bytes: at least 128 bits, and at most the length that HMAC-SHA256 takes
  /// unhashed.
  static let acceptedCounts = 16...64

  /// A secret of these bytes.
  ///
  /// - Throws: ``PushFormatError/Code/unsuitableSecret`` unless there are 16 to 64. New ones have 32 (``standardCount``).
  public init(_ bytes: some Sequence<UInt8>) throws(PushFormatError) {
    let bytes = Array(bytes)
    guard Self.acceptedCounts.contains(bytes.count),
      let secret = try? SymmetricSecret(bytes, minimumBitCount: Self.acceptedCounts.lowerBound * 8)
    else { throw PushFormatError(.unsuitableSecret, "The secret has \(bytes.count) bytes, not 16 to 64.") }
    self.secret = secret
  }

  /// A secret from its Base64 text, in either alphabet.
  ///
  /// - Throws: ``PushFormatError/Code/malformed`` when it is not valid Base64, and what ``init(_:)`` throws.
  public init(base64 text: String) throws(PushFormatError) {
    guard let bytes = LenientBase64.decode(text) else {
      throw PushFormatError(.malformed, "The secret is not valid Base64.")
    }
    try self.init(bytes)
  }

  /// A new secret of 32 bytes from `generator`.
  public static func random(
    using generator: inout some RandomNumberGenerator
  ) throws(PushFormatError) -> PushSecret {
    try PushSecret(SystemRandom.bytes(standardCount, using: &generator))
  }

  /// The bytes in standard Base64, as both sides store them. A secret: encrypt it, never log it.
  public var base64: String { PaddedBase64.encode(secret.reveal()) }

  /// The bytes in URL-safe Base64, as the enrolment URI carries them. A secret.
  public var base64URL: String { Base64URL.encode(secret.reveal()) }

  /// The answer to `challenge`: standard Base64 of its HMAC-SHA256.
  public func response(to challenge: PushChallenge) -> String {
    PaddedBase64.encode(mac(of: challenge.bytes))
  }

  /// Whether `response` is the answer to `challenge`; constant in time.
  public func isResponse(_ response: String, to challenge: PushChallenge) -> Bool {
    guard response.utf8.count <= 128, let given = LenientBase64.decode(response) else { return false }
    return ConstantTime.areEqual(given, mac(of: challenge.bytes))
  }

  /// `claims` as a signed token (header `{"typ":"JWT","alg":"HS256"}`).
  func sign(_ claims: JSONObject) async throws -> String {
    try await JWS.compact(
      header: JWSHeader(algorithm: .hs256, type: "JWT"), claims: claims,
      signer: HMACSigner(secret: secret))
  }

  /// The claims of `token`, once its signature has been checked; `none` and all algorithms but HS256 are refused.
  func claims(of token: UnverifiedJWS) throws(PushFormatError) -> JSONObject {
    do {
      return try token.verified(with: VerificationKey(secret: secret), allowing: [.hs256]).claims()
    } catch {
      throw PushFormatError(error.code == .malformed ? .malformed : .invalidSignature, error.reason)
    }
  }

  func claims(of token: String) throws(PushFormatError) -> JSONObject { try claims(of: unverified(token)) }

  private func mac(of bytes: [UInt8]) -> [UInt8] { HMACSigner(secret: secret).signature(for: bytes) }
}

extension PushSecret: Hashable {
  /// Hashes nothing, because hashing must not depend on the secret.
  public func hash(into hasher: inout Hasher) {}
}

/// Random bytes that a device has to answer. Not printed: a challenge and its answer do not reveal the secret, but they
/// do not belong in a log either.
public struct PushChallenge: Sendable, Hashable, CustomStringConvertible {
  public let bytes: [UInt8]

  /// A challenge of these bytes.
  ///
  /// - Throws: ``PushFormatError/Code/malformed`` unless there are 8 to 256. New ones have 32.
  public init(_ bytes: some Sequence<UInt8>) throws(PushFormatError) {
    self.bytes = Array(bytes)
    guard (8...256).contains(self.bytes.count) else {
      throw PushFormatError(.malformed, "The challenge has \(self.bytes.count) bytes, not 8 to 256.")
    }
  }

  /// A challenge from its Base64 text, in either alphabet.
  ///
  /// - Throws: ``PushFormatError/Code/malformed``
  public init(base64 text: String) throws(PushFormatError) {
    guard let bytes = LenientBase64.decode(text) else {
      throw PushFormatError(.malformed, "The challenge is not valid Base64.")
    }
    try self.init(bytes)
  }

  /// A new challenge of 32 bytes from `generator`.
  public static func random(
    using generator: inout some RandomNumberGenerator
  ) throws(PushFormatError) -> PushChallenge {
    try PushChallenge(SystemRandom.bytes(32, using: &generator))
  }

  /// Standard Base64 with padding, as messages carry it.
  public var base64: String { PaddedBase64.encode(bytes) }

  /// URL-safe Base64 without padding, as the enrolment URI carries it.
  public var base64URL: String { Base64URL.encode(bytes) }

  public var description: String { "PushChallenge(\(bytes.count) bytes)" }
}

func unverified(_ token: String) throws(PushFormatError) -> UnverifiedJWS {
  do {
    return try UnverifiedJWS(compact: token, limits: JWSLimits(maximumBytes: PushFormatLimits.tokenBytes))
  } catch {
    let code: PushFormatError.Code =
      switch error.code {
      case .tooLarge: .tooLarge
      case .unsupportedAlgorithm: .invalidSignature
      default: .malformed
      }
    throw PushFormatError(code, error.reason)
  }
}
