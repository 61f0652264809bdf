#if canImport(Security)
  internal import Bytes
  internal import Foundation
  internal import JOSE
  public import Security
  internal import StrictJSON

  extension CompactJwt {
    /// A JWT with `claims`, signed by a key of the keychain.
    ///
    /// - Parameters:
    ///   - publicKey: Goes into the header as `jwk` when given.
    ///   - algorithm: One of `.ecdsaSignatureMessageX962SHA256`, `…SHA384` and `…SHA512`, for P-256, P-384 and P-521.
    ///   - kid: The key's identifier, for header and `jwk`.
    /// - Throws: ``JwtError``
    public static func sign(
      claims: [String: Any], privateKey: SecKey, publicKey: SecKey?, algorithm: SecKeyAlgorithm, kid: String
    ) throws -> String {
      let (name, curve, format): (String, String, ECDSASignatureFormat.Curve)
      switch algorithm {
      case .ecdsaSignatureMessageX962SHA256: (name, curve, format) = ("ES256", "P-256", .p256)
      case .ecdsaSignatureMessageX962SHA384: (name, curve, format) = ("ES384", "P-384", .p384)
      case .ecdsaSignatureMessageX962SHA512: (name, curve, format) = ("ES512", "P-521", .p521)
      default: throw JwtError.unsupportedAlgorithm("\(algorithm.rawValue) is not ECDSA over a message")
      }
      var header: JSONObject = ["typ": "JWS", "alg": .string(name), "kid": .string(kid)]
      if let publicKey {
        // 04 ‖ x ‖ y (ANSI X9.63)
        guard let point = SecKeyCopyExternalRepresentation(publicKey, nil) as Data?,
          point.count == 1 + 2 * format.fieldBytes
        else { throw JwtError.unsupportedAlgorithm("the public key is not on the curve \(curve)") }
        header["jwk"] = [
          "kty": "EC", "crv": .string(curve),
          "x": .string(Base64URL.encode(point.dropFirst().prefix(format.fieldBytes))),
          "y": .string(Base64URL.encode(point.suffix(format.fieldBytes))),
          "kid": .string(kid), "use": "sig", "alg": .string(name),
        ]
      }
      let input = Base64URL.encode(header.serialized) + "." + Base64URL.encode(try payload(claims))
      var failure: Unmanaged<CFError>?
      guard
        let der = SecKeyCreateSignature(privateKey, algorithm, Data(input.utf8) as CFData, &failure) as Data?
      else {
        let reason = failure?.takeRetainedValue().localizedDescription
        throw JwtError.signingFailed(reason ?? "the key is not on the curve \(curve)")
      }
      guard let signature = try? ECDSASignatureFormat.raw(fromDER: Array(der), curve: format) else {
        throw JwtError.signingFailed("the key is not on the curve \(curve)")
      }
      return input + "." + Base64URL.encode(signature)
    }
  }
#endif
