internal import Bytes
public import StrictJSON

/// Makes JSON Web Signatures in the compact form (RFC 7515 §7.1).
///
/// This module is used instead of jwt-kit, whose signing is synchronous: that does not fit a key in a TPM or Secure Enclave, which may
/// ask its user first. Reading is stricter, too: one text for each value, and no claim before the signature is verified.
public enum JWS {
  /// Signs `payload` and returns `header.payload.signature`.
  ///
  /// - Throws: ``JOSEError/Code/unsupportedAlgorithm`` when the header names another algorithm than the
  ///   signer's, ``JOSEError/Code/unsupportedExtension`` when it has `crit` or `b64`,
  ///   ``JOSEError/Code/invalidSignature`` when the signer's answer does not have the length of its
  ///   algorithm; else what the signer throws.
  public static func compact(
    header: JWSHeader, payload: [UInt8], signer: some JWSSigner
  ) async throws -> String {
    let algorithm = signer.algorithm
    let signingInput = try signingInput(header: header, payload: payload, algorithm: algorithm)
    let signature = try await signer.signature(for: signingInput)
    guard algorithm.signatureCounts.contains(signature.count) else {
      throw JOSEError(
        .invalidSignature,
        "The signer returned \(signature.count) bytes, which is not the length of a signature with"
          + " \(algorithm.rawValue).")
    }
    return compact(signingInput: signingInput, signature: signature)
  }

  /// Authenticates `payload` with HS256, without waiting for anything. See ``compact(header:payload:signer:)``.
  package static func compact(
    header: JWSHeader, payload: [UInt8], secret: SymmetricSecret
  ) throws(JOSEError) -> String {
    let signer = HMACSigner(secret: secret)
    let signingInput = try signingInput(header: header, payload: payload, algorithm: signer.algorithm)
    return compact(signingInput: signingInput, signature: signer.signature(for: signingInput))
  }

  /// Signs claims as a JSON object. See ``compact(header:payload:signer:)``.
  public static func compact(
    header: JWSHeader, claims: JSONObject, signer: some JWSSigner
  ) async throws -> String {
    try await compact(header: header, payload: claims.serialized, signer: signer)
  }

  private static let dot = UInt8(ascii: ".")

  private static func signingInput(
    header: JWSHeader, payload: [UInt8], algorithm: JWSAlgorithm
  ) throws(JOSEError) -> [UInt8] {
    guard header.algorithm == algorithm else {
      throw JOSEError(
        .unsupportedAlgorithm,
        "The header says \(header.algorithm.rawValue), the key signs \(algorithm.rawValue).")
    }
    try header.requireNoExtensions()
    return header.json.withSerialized { signingInput(header: $0, payload: payload) }
  }

  private static func signingInput(header: UnsafeBufferPointer<UInt8>, payload: [UInt8]) -> [UInt8] {
    let headerCount = Base64Codec.encodedCount(header.count)
    let count = headerCount + 1 + Base64Codec.encodedCount(payload.count)
    return [UInt8](count: count) { output in
      guard let start = output.baseAddress else { return }
      Base64Codec.urlSafe.encode(header, to: start)
      start[headerCount] = dot
      payload.withUnsafeBufferPointer { Base64Codec.urlSafe.encode($0, to: start + headerCount + 1) }
    }
  }

  private static func compact(signingInput: [UInt8], signature: [UInt8]) -> String {
    let dotPosition = signingInput.count
    let count = dotPosition + 1 + Base64Codec.encodedCount(signature.count)
    return String(unsafeUninitializedCapacity: count) { output in
      guard let start = output.baseAddress else { return 0 }
      _ = output.update(fromContentsOf: signingInput)
      start[dotPosition] = dot
      signature.withUnsafeBufferPointer { Base64Codec.urlSafe.encode($0, to: start + dotPosition + 1) }
      return count
    }
  }
}
