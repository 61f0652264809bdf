internal import Bytes

/// A well-formed compact JWS. Nothing in it may be trusted before ``verified(with:allowing:)``.
public struct UnverifiedJWS: Sendable, Hashable {
  /// The text as received.
  public let compact: String

  public let header: JWSHeader
  public let payload: [UInt8]

  /// What was signed: the text up to the second dot, ASCII.
  public let signingInput: [UInt8]
  public let signature: [UInt8]

  let limits: JWSLimits

  /// Takes a compact JWS apart.
  ///
  /// - Throws: ``JOSEError`` when it is too long, does not have exactly three strict base64url parts, or its
  ///   header is not a JSON object without duplicate members, names an algorithm that is not understood (`none`
  ///   included), or has `crit`.
  public init(compact: String, limits: JWSLimits = .standard) throws(JOSEError) {
    let parts = try Parts(compact, limits: limits)
    header = try JWSHeader(parsing: parts.header, limits: limits.json)
    payload = parts.payload
    signature = parts.signature
    signingInput = parts.signingInput
    self.compact = compact
    self.limits = limits
  }

  /// The payload of a compact JWS of any algorithm, even one that cannot be verified here.
  ///
  /// - Throws: ``JOSEError`` when it is too long, or does not have exactly three strict base64url parts, none of them empty.
  package static func payload(
    of compact: String, limits: JWSLimits = .standard
  ) throws(JOSEError) -> [UInt8] {
    let parts = try Parts(compact, limits: limits)
    guard !parts.header.isEmpty, !parts.payload.isEmpty, !parts.signature.isEmpty else {
      throw JOSEError(.malformed, "A part of the token is empty.")
    }
    return parts.payload
  }

  /// Checks the signature.
  ///
  /// - Parameters:
  ///   - key: The trusted key.
  ///   - allowed: Algorithms that the caller accepts.
  /// - Throws: ``JOSEError`` when the algorithm is not allowed or does not fit the key, or the signature does
  ///   not verify.
  public func verified(
    with key: VerificationKey, allowing allowed: Set<JWSAlgorithm>
  ) throws(JOSEError) -> VerifiedJWS {
    guard allowed.contains(header.algorithm) else {
      throw JOSEError(
        .unsupportedAlgorithm, "The algorithm \(header.algorithm.rawValue) is not allowed here.")
    }
    let digest = try key.verify(signature, over: signingInput, algorithm: header.algorithm)
    return VerifiedJWS(self, digest: digest)
  }
}

/// The decoded parts of a compact token.
private struct Parts {
  let header: [UInt8]
  let payload: [UInt8]
  let signature: [UInt8]
  let signingInput: [UInt8]

  init(_ compact: String, limits: JWSLimits) throws(JOSEError) {
    guard compact.utf8.count <= limits.maximumBytes else {
      throw JOSEError(
        .tooLarge, "The token has \(compact.utf8.count) bytes, more than \(limits.maximumBytes).")
    }
    guard
      let parts = compact.utf8.withContiguousStorageIfAvailable(Parts.init)
        ?? Array(compact.utf8).withUnsafeBufferPointer(Parts.init)
    else { throw JOSEError(.malformed, "The token does not have exactly three base64url parts.") }
    self = parts
  }

  /// `nil` unless there are three parts of base64url. A fourth would put a dot into the third, which is not
  /// base64url.
  private init?(_ token: UnsafeBufferPointer<UInt8>) {
    let dot = UInt8(ascii: ".")
    guard let first = token.firstPlace(of: dot), let second = token.firstPlace(of: dot, from: first + 1),
      let header = Self.decode(token[..<first]),
      let payload = Self.decode(token[(first + 1)..<second]),
      let signature = Self.decode(token[(second + 1)...])
    else { return nil }
    self.header = header
    self.payload = payload
    self.signature = signature
    signingInput = Array(UnsafeBufferPointer(rebasing: token[..<second]))
  }

  private static func decode(_ part: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8]? {
    Base64Codec.urlSafe.decode(UnsafeBufferPointer(rebasing: part))
  }
}
