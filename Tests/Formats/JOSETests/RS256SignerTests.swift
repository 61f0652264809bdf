import Crypto
import StrictJSON
import Testing

@testable import JOSE

@Suite("Signing with RSA") struct RS256SignerTests {
  @Test func `a token of a new key is verified by its public key, and by no other one or algorithm`()
    async throws
  {
    let der = try RS256Signer.newKey()
    let signer = try RS256Signer(der: der)
    let jwk = try signer.publicJWK()
    #expect(jwk.json["alg"] == "RS256" && jwk.keyID == jwk.thumbprint && jwk.json["d"] == nil)
    let token = try await JWS.compact(
      header: JWSHeader(algorithm: .rs256, keyID: jwk.keyID), claims: ["sub": "ada"], signer: signer)
    let unverified = try UnverifiedJWS(compact: token)
    let read = try JWK(json: jwk.json)
    #expect(try unverified.verified(with: VerificationKey(read), allowing: [.rs256]).claims()["sub"] == "ada")
    #expect(throws: JOSEError.self) {
      try unverified.verified(with: VerificationKey(read), allowing: [.es256])
    }
    let other = try RS256Signer(der: RS256Signer.newKey()).publicJWK()
    #expect(other.keyID != jwk.keyID)
    #expect(throws: JOSEError.self) {
      try unverified.verified(with: VerificationKey(other), allowing: [.rs256])
    }
  }

  @Test(arguments: [[], [UInt8](repeating: 0x30, count: 1200)]) func `what is not a key signs nothing`(
    bytes: [UInt8]
  ) {
    #expect(throws: JOSEError.self) { try RS256Signer(der: bytes) }
  }

  @Test func `a header for another algorithm than the key's is refused`() async throws {
    let signer = try RS256Signer(der: RS256Signer.newKey())
    await #expect(throws: JOSEError.self) {
      try await JWS.compact(header: JWSHeader(algorithm: .es256), claims: [:], signer: signer)
    }
  }
}
