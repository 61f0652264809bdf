internal import Bytes
internal import Crypto
internal import CryptoExtras
package import Foundation
package import StrictJSON

/// The universal id of mira, in the realm alpha.
package let miraID = "id=mira,ou=user,o=alpha,ou=services,ou=am-config"

/// What a client puts into a proof; tests change parts of it before it is signed.
package struct ProofParts {
  package var header: JSONObject
  package var claims: JSONObject

  /// Replaces the serialised claims.
  package var payload: [UInt8]?

  /// Changes the finished compact form.
  package var tamper: (String) -> String = { $0 }

  package init(header: JSONObject, claims: JSONObject) {
    self.header = header
    self.claims = claims
  }
}

/// A device with one key.
package struct ProofDevice: Sendable {
  /// How an RSA key signs (RFC 7518 §3.3).
  package enum RSAAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
  }

  private enum Key {
    case p256(P256.Signing.PrivateKey)
    case rsa(_RSA.Signing.PrivateKey, RSAAlgorithm)
  }

  package let keyID: String
  private let key: Key

  /// One RSA key for all tests, because making one takes long.
  private static let rsaKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

  package init(keyID: String = UUID().uuidString) {
    self.keyID = keyID
    key = .p256(P256.Signing.PrivateKey())
  }

  package init(rsa algorithm: RSAAlgorithm) throws {
    keyID = UUID().uuidString
    key = .rsa(try Self.rsaKey.get(), algorithm)
  }

  private init(keyID: String, key: Key) {
    self.keyID = keyID
    self.key = key
  }

  /// The same key under another `kid`.
  package func renamed(_ keyID: String) -> ProofDevice { ProofDevice(keyID: keyID, key: key) }

  private var algorithm: String {
    switch key {
    case .p256: "ES256"
    case .rsa(_, let algorithm): algorithm.rawValue
    }
  }

  package var jwk: JSONObject {
    var json: JSONObject
    switch key {
    case .p256(let key):
      let point = [UInt8](key.publicKey.x963Representation)
      json = [
        "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point[1..<33])),
        "y": .string(Base64URL.encode(point[33...])),
      ]
    case .rsa(let key, _):
      let primitives = try? key.publicKey.getKeyPrimitives()
      json = [
        "kty": "RSA", "n": .string(Base64URL.encode(primitives?.modulus ?? Data())),
        "e": .string(Base64URL.encode(primitives?.publicExponent ?? Data())),
      ]
    }
    json.merge(["use": "sig", "alg": .string(algorithm), "kid": .string(keyID)])
    return json
  }

  /// A proof of the usual form, changed by `change`.
  package func proof(
    subject: String, challenge: String, now: Date, binds: Bool,
    _ change: (inout ProofParts) -> Void = { _ in }
  ) throws -> String {
    let seconds = Int64(now.timeIntervalSince1970)
    var parts = ProofParts(
      header: ["typ": "JWS", "alg": .string(algorithm), "kid": .string(keyID)],
      claims: [
        "sub": .string(subject), "iss": "com.acme.wallet", "challenge": .string(challenge),
        "iat": .integer(seconds),
        "nbf": .integer(seconds), "exp": .integer(seconds + 60), "platform": "linux",
      ])
    if binds { parts.header["jwk"] = .object(jwk) }
    change(&parts)
    let input =
      Base64URL.encode(parts.header.serialized) + "."
      + Base64URL.encode(parts.payload ?? parts.claims.serialized)
    return parts.tamper(input + "." + Base64URL.encode(try signature(over: Array(input.utf8))))
  }

  private func signature(over input: [UInt8]) throws -> [UInt8] {
    switch key {
    case .p256(let key): [UInt8](try key.signature(for: input).rawRepresentation)
    case .rsa(let key, .rs256):
      [UInt8](try key.signature(for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation)
    case .rsa(let key, .rs384):
      [UInt8](try key.signature(for: SHA384.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation)
    case .rsa(let key, .rs512):
      [UInt8](try key.signature(for: SHA512.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation)
    }
  }
}
