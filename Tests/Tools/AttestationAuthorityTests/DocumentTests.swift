import CommonFixtures
import Crypto
import Foundation
import KeyAttestation
import StrictJSON
import Testing

@testable import AttestationAuthority

@Suite("Enrolment documents") struct DocumentTests {
  private static let long = String(repeating: "A", count: 30_000)

  @Test(
    arguments: [
      ("version", .integer(2)), ("version", nil), ("ekPublic", nil), ("ekPublic", ""), ("ekPublic", "AA=="),
      ("ekPublic", .string(String(repeating: "A", count: 1604))), ("akPublic", 7), ("akPublic", "+/"),
      ("akPublic", .string(String(repeating: "A", count: 1604))), ("ekCertificate", .null),
      ("ekCertificate", .string(long)), ("ekIntermediates", "AA"), ("ekIntermediates", [1]),
      ("ekIntermediates", .array(Array(repeating: "AA", count: 10))), ("ekIntermediates", [.string(long)]),
    ] as [(String, JSONValue?)])
  func `a request that is not as documented is refused`(member: String, value: JSONValue?) throws {
    var json = try Scenario().request().json
    _ = try AttestationKeyRequest(parsing: json.serialized)
    json[member] = value
    let failure = #expect(throws: AttestationEnrolmentFailure.self) {
      _ = try AttestationKeyRequest(parsing: json.serialized)
    }
    #expect(failure?.check == .requestMalformed)
  }

  @Test func `neither document may be other than a JSON object of bounded length`() {
    let padding = String(repeating: " ", count: 400 << 10)
    for text in ["", "[]", "{", "{\"version\":1,\"version\":1}", "{\"version\":1}\(padding)"] {
      #expect(throws: AttestationEnrolmentFailure.self) {
        _ = try AttestationKeyRequest(parsing: Array(text.utf8))
      }
      #expect(throws: AttestationEnrolmentFailure.self) {
        _ = try AttestationKeyCredential(parsing: Array(text.utf8))
      }
    }
  }

  @Test func `a request survives its document`() throws {
    var request = try Scenario().request()
    request.endorsementIntermediates = [[1, 2], [3]]
    #expect(try AttestationKeyRequest(parsing: request.json.serialized) == request)
    request.endorsementCertificate = nil
    request.endorsementIntermediates = []
    #expect(request.json.names == ["version", "ekPublic", "akPublic"])
    #expect(try AttestationKeyRequest(parsing: request.json.serialized) == request)
  }

  @Test(
    arguments: [
      ("version", .integer(0)), ("credentialBlob", nil), ("credentialBlob", .string(long)),
      ("encryptedSecret", "?"), ("encryptedSecret", .string(long)), ("encryptedChain", "AA"),
      ("encryptedChain", ["nonce": "AAAA", "ciphertext": .string(long)]),
      ("encryptedChain", ["nonce": "AAAAAAAAAAAAAAAA", "ciphertext": "AAAA"]),
      ("encryptedChain", ["nonce": "AAAAAAAAAAAAAAAA"]),
    ] as [(String, JSONValue?)])
  func `a credential that is not as documented is refused`(member: String, value: JSONValue?) async throws {
    let issued = try await Scenario().issue(TemporaryFolder.make().authority())
    #expect(try AttestationKeyCredential(parsing: issued.credential.json.serialized) == issued.credential)
    var json = issued.credential.json
    json[member] = value
    let failure = #expect(throws: AttestationEnrolmentFailure.self) {
      _ = try AttestationKeyCredential(parsing: json.serialized)
    }
    #expect(failure?.check == .credentialMalformed)
  }

  @Test func `certificates open with the right secret, untouched, and for their own key only`() async throws {
    let folder = try TemporaryFolder.make()
    let scenario = Scenario()
    let authority = try folder.authority()
    let root = try TrustAnchors([Array(authority.rootPEM.utf8)])
    #expect(!root.isEmpty)
    let secret = SymmetricKey(size: .bits256)
    let area = try scenario.request().attestationKey
    // Any certificate of the attestation key will do here.
    var other = scenario
    other.certifiedKey = scenario.attestationKey.publicKey
    let chain = [try other.endorsementCertificate(), try scenario.root()]
    var credential = try AttestationKeyCredential(
      credentialBlob: [1], encryptedSecret: [2], chain: chain, secret: secret,
      nonce: Array(repeating: 3, count: 12))
    #expect(try credential.certificates(secret: secret, attestationKey: area) == chain)
    #expect(throws: AttestationEnrolmentFailure.self) {
      _ = try credential.certificates(secret: SymmetricKey(size: .bits256), attestationKey: area)
    }
    let stranger = try Scenario().request().attestationKey
    #expect(throws: AttestationEnrolmentFailure.self) {
      _ = try credential.certificates(secret: secret, attestationKey: stranger)
    }
    credential.ciphertext[5] ^= 1
    #expect(throws: AttestationEnrolmentFailure.self) {
      _ = try credential.certificates(secret: secret, attestationKey: area)
    }
  }
}
