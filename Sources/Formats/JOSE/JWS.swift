public import StrictJSON

/// Makes JSON Web Signatures in the compact form (RFC 7515 §7.1).
public enum JWS {
  /// Signs `payload` and returns `header.payload.signature`.
  ///
  /// - Throws: ``JOSEError/Code/unsupportedAlgorithm`` when the header names another algorithm than the signer's; else
  ///   what the signer throws.
  public static func compact(
    header: JWSHeader, payload: [UInt8], signer: some JWSSigner
  ) async throws -> String {
    guard header.algorithm == signer.algorithm else {
      throw JOSEError(
        .unsupportedAlgorithm,
        "The header says \(header.algorithm.rawValue), the key signs \(signer.algorithm.rawValue).")
    }
    var token = Base64URL.encodedBytes(header.json.serialized)
    token.append(UInt8(ascii: "."))
    token.append(contentsOf: Base64URL.encodedBytes(payload))
    let signature = try await signer.signature(for: token)
    token.append(UInt8(ascii: "."))
    token.append(contentsOf: Base64URL.encodedBytes(signature))
    return String(decoding: token, as: UTF8.self)
  }

  /// Signs claims as a JSON object. See ``compact(header:payload:signer:)``.
  public static func compact(
    header: JWSHeader, claims: JSONObject, signer: some JWSSigner
  ) async throws -> String {
    try await compact(header: header, payload: claims.serialized, signer: signer)
  }
}

/// Bounds on tokens from outside.
public struct JWSLimits: Sendable, Hashable {
  /// Longest accepted token in bytes.
  public var maximumBytes: Int

  /// Deepest nesting in header and claims.
  public var maximumDepth: Int

  public init(maximumBytes: Int = 16 << 10, maximumDepth: Int = 16) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
  }

  /// 16 KiB.
  public static let standard = JWSLimits()

  /// 128 KiB, for headers that carry a certificate chain.
  public static let withCertificates = JWSLimits(maximumBytes: 128 << 10)

  var json: JSONLimits { JSONLimits(maximumBytes: maximumBytes, maximumDepth: maximumDepth) }
}
