import Bytes
import Crypto
import CryptoExtras
import JOSE
import StrictJSON

/// The examples of RFC 7515 appendix A; all three tokens carry the same claims.
enum RFC7515 {
  static let payload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

  static let claims: JSONObject = ["iss": "joe", "exp": 1_300_819_380, "http://example.com/is_root": true]

  // A.1
  static let hs256 =
    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(payload).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  static let hs256Secret =
    "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"

  // A.2
  static let rs256 =
    "eyJhbGciOiJSUzI1NiJ9.\(payload)."
    + "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJ"
    + "dbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN"
    + "9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXL"
    + "IhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
  static let rs256Key: JSONObject = [
    "kty": "RSA",
    "n": .string(
      "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT"
        + "-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXB"
        + "dQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9ia"
        + "GNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"),
    "e": "AQAB",
  ]

  // A.3
  static let es256 =
    "eyJhbGciOiJFUzI1NiJ9.\(payload)."
    + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
  static let es256Key: JSONObject = [
    "kty": "EC", "crv": "P-256",
    "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
  ]
  static let es256PrivateKey = "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"

  // A.5
  static let unsecured = "eyJhbGciOiJub25lIn0.\(payload)."
}

/// A token as a device sends it when it is bound; made and signed with OpenSSL.
enum DeviceVector {
  static let jwk: JSONObject = [
    "kty": "EC", "crv": "P-256", "x": "OxhnxE3_8wMcv00tSOulsfHyY1NVqH_6ltdMPl9-nLM",
    "y": "XHhV_MzeHbQXHaO3vXlb0EeA0D_RWMiQwblMvvDUgJc", "use": "sig", "alg": "ES256",
    "kid": "5C0B1E2A-7D44-4B0E-9A31-0F5B6C7D8E90",
  ]
  static let header: JSONObject = [
    "typ": "JWS", "alg": "ES256", "kid": "5C0B1E2A-7D44-4B0E-9A31-0F5B6C7D8E90", "jwk": .object(jwk),
  ]
  static let claims: JSONObject = [
    "sub": "id=7a4e,ou=user,o=alpha,ou=services,ou=am-config", "iss": "com.acme.wallet",
    "challenge": "mQ2o0C1bWmXk0m3v0r6J7c0cZq2Xr8m1nqk1n3l5xX0=", "iat": 1_767_225_600, "nbf": 1_767_225_600,
    "exp": 1_767_225_660, "platform": "ios",
  ]
  static let der =
    "3045022100ada292b8586b737ad9b31703e304ba8c23354d05029885a78f7654ceeb01c8e802201af46f57ec4da0c07314000ec3"
    + "aec57562759ffc9de98a4e1c66685d34c5428c"
  static let raw =
    "ada292b8586b737ad9b31703e304ba8c23354d05029885a78f7654ceeb01c8e81af46f57ec4da0c07314000ec3aec57562759ffc"
    + "9de98a4e1c66685d34c5428c"
  static let compact =
    "eyJ0eXAiOiJKV1MiLCJhbGciOiJFUzI1NiIsImtpZCI6IjVDMEIxRTJBLTdENDQtNEIwRS05QTMxLTBGNUI2QzdEOEU5MCIsImp3ayI6"
    + "eyJrdHkiOiJFQyIsImNydiI6IlAtMjU2IiwieCI6Ik94aG54RTNfOHdNY3YwMHRTT3Vsc2ZIeVkxTlZxSF82bHRkTVBsOS1uTE0iLC"
    + "J5IjoiWEhoVl9NemVIYlFYSGFPM3ZYbGIwRWVBMERfUldNaVF3YmxNdnZEVWdKYyIsInVzZSI6InNpZyIsImFsZyI6IkVTMjU2Iiwi"
    + "a2lkIjoiNUMwQjFFMkEtN0Q0NC00QjBFLTlBMzEtMEY1QjZDN0Q4RTkwIn19."
    + "eyJzdWIiOiJpZD03YTRlLG91PXVzZXIsbz1hbHBoYSxvdT1zZXJ2aWNlcyxvdT1hbS1jb25maWciLCJpc3MiOiJjb20uYWNtZS53YW"
    + "xsZXQiLCJjaGFsbGVuZ2UiOiJtUTJvMEMxYldtWGswbTN2MHI2SjdjMGNacTJYcjhtMW5xazFuM2w1eFgwPSIsImlhdCI6MTc2NzIy"
    + "NTYwMCwibmJmIjoxNzY3MjI1NjAwLCJleHAiOjE3NjcyMjU2NjAsInBsYXRmb3JtIjoiaW9zIn0."
    + "raKSuFhrc3rZsxcD4wS6jCM1TQUCmIWnj3ZUzusByOga9G9X7E2gwHMUAA7DrsV1YnWf_J3pik4cZmhdNMVCjA"
}

/// Signs with RSA as Android devices do; the library itself only verifies these.
struct RSASigner: JWSSigner {
  let privateKey: _RSA.Signing.PrivateKey
  let algorithm: JWSAlgorithm

  func signature(for signingInput: [UInt8]) throws -> [UInt8] {
    let signature =
      switch algorithm {
      case .rs384: try sign(SHA384.hash(data: signingInput))
      case .rs512: try sign(SHA512.hash(data: signingInput))
      default: try sign(SHA256.hash(data: signingInput))
      }
    return [UInt8](signature.rawRepresentation)
  }

  private func sign(_ digest: some Digest) throws -> _RSA.Signing.RSASignature {
    try privateKey.signature(for: digest, padding: .insecurePKCS1v1_5)
  }

  var jwk: JWK {
    get throws {
      let numbers = try privateKey.publicKey.getKeyPrimitives()
      return try JWK(json: [
        "kty": "RSA", "n": .string(Base64URL.encode(numbers.modulus)),
        "e": .string(Base64URL.encode(numbers.publicExponent)),
      ])
    }
  }
}

/// The code of the ``JOSEError`` that `body` throws, `nil` when it does not throw.
func refusal(_ body: () throws -> Void) throws -> JOSEError.Code? {
  do {
    try body()
    return nil
  } catch let error as JOSEError {
    return error.code
  }
}

/// As ``refusal(_:)-(()throws->Void)``, for asynchronous work.
func refusal(_ body: () async throws -> Void) async throws -> JOSEError.Code? {
  do {
    try await body()
    return nil
  } catch let error as JOSEError {
    return error.code
  }
}

/// A token of `header` and `payload` as given, with a signature of `signatureCount` zeros.
func token(header: String, payload: String = "{}", signatureCount: Int = 64) -> String {
  [Array(header.utf8), Array(payload.utf8), [UInt8](repeating: 0, count: signatureCount)]
    .map { Base64URL.encode($0) }.joined(separator: ".")
}

func bytes(hex: String) -> [UInt8] {
  let digits = hex.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
