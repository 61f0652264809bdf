import AuthenticatorFixtures
import Bytes
import Foundation
import CommonFixtures
import Accounts
import EvidenceLedger
import JourneyStore
import SecurityEvents
import StrictJSON
import Testing

@testable import SSHAuthority

@Suite("SSH certificates of attested keys") struct AttestationTests {
  private let chip: Chip
  private let world: World

  init() async throws {
    chip = try Chip()
    world = try await World(trusting: chip) { settings in
      (settings.isAttested, settings.journey) = (true, "Login")
    }
  }

  private func challenge(_ session: SessionRecord) async throws -> [UInt8] {
    try await world.authority.challenge(for: session, in: World.realm).bytes
  }

  private func evidence(_ key: Subject, _ challenge: [UInt8], _ chip: Chip? = nil) throws -> JSONObject {
    var jwk = key.jwk
    jwk.merge(try (chip ?? self.chip).evidence(of: jwk, challenge: PaddedBase64.encode(challenge)))
    return jwk
  }

  @Test func `a key that a trusted TPM attests is certified, once for each challenge`() async throws {
    let (key, session) = (Subject(), try await world.session())
    let challenge = try await challenge(session)
    #expect(challenge.count == 32)
    let attestation = try evidence(key, challenge)
    _ = try await world.certify(key, for: session, challenge: challenge, attestation: attestation)
    #expect(world.events(.sshCertificateIssued).first?.detail["attested"] == true)
    let entry = try #require(try await world.store.evidence(number: 1))
    #expect(entry.record.attestation?["kind"] == "tpm")

    let refused = try await refusal {
      _ = try await world.certify(key, for: session, challenge: challenge, attestation: attestation)
    }
    #expect(refused.description.contains("used before"))
    #expect(try await world.store.evidence(number: 2) == nil)
  }

  @Test func `of fifty requests with one challenge one counts`() async throws {
    let (key, session, world) = (Subject(), try await world.session(), world)
    let challenge = try await challenge(session)
    let attestation = try evidence(key, challenge)
    let issued = await withTaskGroup(of: Bool.self) { group in
      for _ in 1...50 {
        group.addTask {
          (try? await world.certify(key, for: session, challenge: challenge, attestation: attestation)) != nil
        }
      }
      return await group.reduce(0) { $1 ? $0 + 1 : $0 }
    }
    #expect(issued == 1)
  }

  @Test(arguments: [
    "nothing", "no attestation", "another key's", "another TPM's", "another challenge's", "no chain",
  ])
  func `without an attestation that passes there is no certificate, and the refusal says what is missing`(
    what: String
  ) async throws {
    let (key, session) = (Subject(), try await world.session())
    let challenge = try await challenge(session)
    let attestation: JSONObject? =
      switch what {
      case "another key's": try evidence(Subject(), challenge)
      case "another TPM's": try evidence(key, challenge, Chip())
      case "another challenge's": try evidence(key, Array(repeating: 1, count: 32))
      case "no chain": key.jwk
      default: nil
      }
    let refused = try await refusal {
      _ = try await world.certify(
        key, for: session, challenge: what == "nothing" ? nil : challenge, attestation: attestation)
    }
    #expect(refused.kind == .forbidden && refused.detail == ["attested": true, "journey": "Login"])
  }

  @Test func `an attestation of this key under the JWK of another one does not pass`() async throws {
    let (key, stolen, session) = (Subject(), Subject(), try await world.session())
    let challenge = try await challenge(session)
    var attestation = try evidence(stolen, challenge)
    attestation["x"] = key.jwk["x"]
    attestation["y"] = key.jwk["y"]
    let refused = try await refusal {
      _ = try await world.certify(key, for: session, challenge: challenge, attestation: attestation)
    }
    #expect(refused.kind == .forbidden)
  }

  @Test func `a key in a FIDO authenticator is not attested by a TPM`() async throws {
    let (key, session) = (Subject(), try await world.session())
    let challenge = try await challenge(session)
    let request = SSHCertificateRequest(
      publicKey: key.securityKeyLine, challenge: challenge, attestation: try evidence(key, challenge))
    let refused = try await refusal {
      _ = try await world.authority.certify(request, for: session, in: World.realm)
    }
    #expect(refused.detail?["attested"] == true)
  }

  @Test func `a challenge is good for its account, in its realm, for five minutes`() async throws {
    let (key, session) = (Subject(), try await world.session())
    let bobs = try await challenge(try await world.session("bob"))
    let own = try await challenge(session)
    var changed = own
    changed[13] ^= 1
    try await world.authority.create(SSHAuthoritySettings(), of: "root", by: .operator)
    let elsewhere = try await world.authority.challenge(
      for: try await world.session("ada", realm: "root"), in: "root"
    ).bytes
    for challenge in [bobs, changed, elsewhere, [], Array(own.dropLast()), Array(repeating: 0, count: 32)] {
      let refused = try await refusal {
        _ = try await world.certify(
          key, for: session, challenge: challenge, attestation: try evidence(key, challenge))
      }
      #expect(refused.kind == .forbidden && refused.description.contains("challenge"))
    }
    world.clock.advance(by: SSHChallenges.lifetime)
    let late = try await refusal {
      _ = try await world.certify(key, for: session, challenge: own, attestation: try evidence(key, own))
    }
    #expect(late.description.contains("challenge"))
  }

  @Test
  func `without roots no key is attested; where none has to be, the certificate is issued all the same`()
    async throws
  {
    let (key, world) = (Subject(), try await World())
    let session = try await world.session()
    let challenge = try await world.authority.challenge(for: session, in: World.realm).bytes
    let request = SSHCertificateRequest(
      publicKey: key.line, challenge: challenge, attestation: try evidence(key, challenge))
    #expect(try await !world.authority.certify(request, for: session, in: World.realm).isAttested)
    let strict = try await World { $0.isAttested = true }
    #expect(try await refusal { _ = try await strict.certify() }.detail == ["attested": true])
  }
}
