import CBOR
import Crypto
import Testing
import WebAuthnFormats
import WebAuthnVerification

/// Ceremonies with the algorithms that the specification's transcribed vectors do not have.
@Suite("Ceremonies with ML-DSA-65")
struct AlgorithmTests {
  private static func publicKey(_ key: MLDSA65.PrivateKey) throws -> COSEKey {
    try COSEKey(.mlDSA65(Array(key.publicKey.rawRepresentation)), algorithm: .mlDSA65)
  }

  private static func registration(_ key: MLDSA65.PrivateKey) throws -> RegistrationScenario {
    var scenario = RegistrationScenario()
    let members = try publicKey(key).cbor.mapValue ?? [:]
    scenario.changesKey = { $0 = members }
    scenario.statement = { _, data, hash in
      RegistrationScenario.Statement(
        "packed", ["alg": -49, "sig": .bytes(try Array(key.signature(for: data + hash)))])
    }
    scenario.policy.algorithms = [.es256, .mlDSA65]
    return scenario
  }

  @Test func `a registration and an authentication are verified`() async throws {
    let key = try MLDSA65.PrivateKey()
    let registration = try await Self.registration(key).verify()
    #expect(registration.attestation.type == .selfSigned)
    #expect(registration.publicKey == (try Self.publicKey(key)))

    var scenario = try AssertionScenario()
    scenario.credential.publicKey = registration.publicKey
    scenario.changesResponse = { response in
      let signed = response.authenticatorData + SHA256.hash(data: response.clientDataJSON)
      response.signature = (try? Array(key.signature(for: signed))) ?? []
    }
    #expect(try scenario.verify().signCount == 8)
    let change = scenario.changesResponse
    for place in [0, 1000, 3308] {
      scenario.changesResponse = {
        change(&$0)
        $0.signature[place] ^= 1
      }
      await expectFailure(.invalidSignature) { [scenario] in _ = try scenario.verify() }
    }
  }

  @Test func `it must have been offered`() async throws {
    var scenario = try Self.registration(MLDSA65.PrivateKey())
    scenario.policy.algorithms = [.es256]
    await expectFailure(.algorithmNotAllowed, "ML-DSA-65") { [scenario] in _ = try await scenario.verify() }
  }

  @Test func `another key's statement about itself is refused`() async throws {
    let key = try MLDSA65.PrivateKey()
    var scenario = try Self.registration(key)
    let members = try Self.publicKey(MLDSA65.PrivateKey()).cbor.mapValue ?? [:]
    scenario.changesKey = { $0 = members }
    await expectFailure(.attestationInvalid) { [scenario] in _ = try await scenario.verify() }
  }
}
