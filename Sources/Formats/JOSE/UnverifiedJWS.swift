/// A compact JWS that has the right form. Nothing in it may be believed before ``verified(with:allowing:)``.
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
  /// - Throws: ``JOSEError`` when it is too long, does not have exactly three strict base64url parts, or its header is no
  ///   JSON object without duplicate members, names an algorithm that is not understood (`none` included), or has `crit`.
  public init(compact: String, limits: JWSLimits = .standard) throws(JOSEError) {
    let bytes = Array(compact.utf8)
    guard bytes.count <= limits.maximumBytes else {
      throw JOSEError(.tooLarge, "The token has \(bytes.count) bytes, more than \(limits.maximumBytes).")
    }
    guard let first = bytes.firstIndex(of: UInt8(ascii: ".")),
      let second = bytes[(first + 1)...].firstIndex(of: UInt8(ascii: "."))
    else { throw JOSEError(.malformed, "The token does not have three parts.") }
    let parts: [[UInt8]?] = bytes.withUnsafeBufferPointer { bytes in
      [0..<first, (first + 1)..<second, (second + 1)..<bytes.count].map {
        Base64URL.decode(UnsafeBufferPointer(rebasing: bytes[$0]))
      }
    }
    guard let header = parts[0], let payload = parts[1], let signature = parts[2] else {
      throw JOSEError(.malformed, "The token does not have exactly three base64url parts.")
    }
    self.header = try JWSHeader(parsing: header, limits: limits.json)
    self.payload = payload
    self.signature = signature
    self.compact = compact
    self.limits = limits
    signingInput = Array(bytes[..<second])
  }

  /// Checks the signature.
  ///
  /// - Parameters:
  ///   - key: Where trust comes from.
  ///   - allowed: Algorithms that the caller accepts.
  /// - Throws: ``JOSEError`` when the algorithm is not allowed or does not fit the key, or the signature does not verify.
  public func verified(
    with key: VerificationKey, allowing allowed: Set<JWSAlgorithm>
  ) throws(JOSEError) -> VerifiedJWS {
    guard allowed.contains(header.algorithm) else {
      throw JOSEError(
        .unsupportedAlgorithm, "The algorithm \(header.algorithm.rawValue) is not allowed here.")
    }
    try key.verify(signature, over: signingInput, algorithm: header.algorithm)
    return VerifiedJWS(self)
  }
}
