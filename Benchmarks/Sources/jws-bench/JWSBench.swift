import BenchmarkReport
import Crypto
import JOSE
import StrictJSON

/// ES256 through JOSE beside the bare P-256 operation over the same payload of 200 bytes.
///
/// The JWS side does everything that a caller pays for: it builds and writes the header, encodes, signs, and
/// puts the text together; or takes the text apart, reads the header, and verifies.
@main
struct JWSBench {
  static func main() async throws {
    let bench = try await JWSBench()
    try await bench.sign()
    try await bench.verify()
    try await bench.importAndVerify()
  }

  private let privateKey = P256.Signing.PrivateKey()
  private let payload = [UInt8](repeating: UInt8(ascii: "p"), count: 200)
  private let keyID = "5C0B1E2A-7D44-4B0E-9A31-0F5B6C7D8E90"
  private let signature: P256.Signing.ECDSASignature
  private let compact: String

  private init() async throws {
    signature = try privateKey.signature(for: payload)
    compact = try await JWS.compact(
      header: JWSHeader(algorithm: .es256, type: "JWS", keyID: keyID), payload: payload,
      signer: P256Signer(privateKey: privateKey))
  }

  private func sign() async throws {
    let signer = P256Signer(privateKey: privateKey)
    try await Comparison.measure(
      base: { keep(try privateKey.signature(for: payload)) },
      subject: {
        let header = JWSHeader(algorithm: .es256, type: "JWS", keyID: keyID)
        keep(try await JWS.compact(header: header, payload: payload, signer: signer))
      }
    ).report(base: "p256-sign", subject: "jws-sign", ratio: "jws-sign-of-raw")
  }

  private func verify() async throws {
    let publicKey = privateKey.publicKey
    let key = try VerificationKey(jwk)
    try await Comparison.measure(
      base: { try require(publicKey.isValidSignature(signature, for: payload)) },
      subject: { keep(try UnverifiedJWS(compact: compact).verified(with: key, allowing: [.es256])) }
    ).report(base: "p256-verify", subject: "jws-verify", ratio: "jws-verify-of-raw")
  }

  /// As when the key comes from the database or the header: the JWS side starts from JSON.
  private func importAndVerify() async throws {
    let point = [UInt8](privateKey.publicKey.x963Representation)
    let json = try jwk.json
    try await Comparison.measure(
      base: {
        let key = try P256.Signing.PublicKey(x963Representation: point)
        try require(key.isValidSignature(signature, for: payload))
      },
      subject: {
        let key = try VerificationKey(JWK(json: json))
        keep(try UnverifiedJWS(compact: compact).verified(with: key, allowing: [.es256]))
      }
    ).report(
      base: "p256-import-verify", subject: "jws-import-verify", ratio: "jws-import-verify-of-raw")
  }

  private var jwk: JWK {
    get throws {
      try JWK(p256X963: [UInt8](privateKey.publicKey.x963Representation), keyID: keyID)
    }
  }
}

/// Uses a result, so that the optimiser cannot drop what made it.
@inline(never)
private func keep<Value>(_ value: Value) {}

private struct WrongResult: Error {}

private func require(_ isTrue: Bool) throws {
  guard isTrue else { throw WrongResult() }
}
