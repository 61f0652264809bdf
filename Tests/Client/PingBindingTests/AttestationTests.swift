import Concurrency
import DeviceKeyFixtures
import DeviceKeys
import Foundation
import PingBinding
import ProofFixtures
import StrictJSON
import Testing

/// What an attestation that the server asks for means to a device that cannot give one, and to one that can.
@Suite struct AttestationTests {
  let device = BindingDevice()

  @Test(arguments: ["NONE", "APPLICATION_PIN"])
  func `a server that asks for attestation locked out devices that cannot give one`(type: String) async throws
  {
    let callback = bindingCallback(type: type, attestation: true)
    #expect(callback.attestation == .challenge(challenge))
    let token = try await device.bind(callback) { $0.pinCollector = ScriptedPIN("471108") }.token()
    #expect(token.header["jwk"]?["x5c"] == nil)
    try await device.expectNothingLeftOver(count: 1)
  }

  @Test func `what the app asks for is asked for only`() async throws {
    let token = try await device.bind { $0.attestation = .challenge(challenge) }.token()
    #expect(token.header["jwk"]?["x5c"] == nil)
  }

  @Test(arguments: [true, false], ["NONE", "APPLICATION_PIN"])
  func `an app that insists is not bound without and nobody is asked`(asks: Bool, type: String) async throws {
    let collector = ScriptedPIN("471108")
    let outcome = await device.bind(bindingCallback(type: type, attestation: asks)) {
      $0.pinCollector = collector
      $0.requiresAttestation = true
    }
    #expect(outcome.status?.clientError == "Unsupported")
    #expect(collector.prompts.isEmpty)
    try await device.expectNothingLeftOver(count: 0)
  }

  @Test(arguments: [true, false])
  func `a device that can attest does when it is asked`(requires: Bool) async throws {
    var device = device
    device.keyStore = AttestingStore()
    let asked = try await device.bind(bindingCallback(attestation: !requires)) {
      $0.requiresAttestation = requires
    }.token()
    #expect(asked.header["jwk"]?["x5c"] == ["AQID"])
    #expect(asked.header["jwk"]?["nonce"] == .string(challenge))
    let unasked = try await device.bind().token()
    #expect(unasked.header["jwk"]?["x5c"] == nil)
  }

  @Test func `an app's authenticator of keys without attestation does not pass for one with`() async throws {
    let outcome = await device.bind {
      $0.deviceAuthenticator = Boasting()
      $0.requiresAttestation = true
    }
    #expect(outcome.status?.clientError == "Unsupported")
    try await device.expectNothingLeftOver(count: 0)
  }
}

/// Says that it can attest, and makes keys that cannot.
private final class Boasting: DefaultDeviceAuthenticator {
  override func isSupported(attestation: Attestation) -> Bool { true }
  override func register() async throws -> KeyPair {
    KeyPair(try await keyStore().createKey(tag: "own", protection: .none, unlock: .nothing))
  }
  override func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
    do {
      return .success(try await keyStore().openKey(tag: keyTag, unlock: .nothing))
    } catch {
      return .failure(error)
    }
  }
}

/// A store whose keys attest themselves.
private struct AttestingStore: DeviceKeyStore {
  let keyStore = MemoryKeyStore()

  var kind: KeyStoreKind { keyStore.kind }
  func supports(_ protection: KeyProtection) -> Bool { true }
  func attestationAvailability() async -> KeyStoreAvailability { .available }
  func createKey(tag: String, protection: KeyProtection, unlock: KeyUnlock) async throws -> any DeviceKey {
    AttestingKey(key: try await keyStore.createKey(tag: tag, protection: protection, unlock: unlock))
  }
  func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    try await keyStore.openKey(tag: tag, unlock: unlock)
  }
  func deleteKey(tag: String) async throws { await keyStore.deleteKey(tag: tag) }
  func keys() async throws -> [StoredKey] { await keyStore.keys() }
}

private struct AttestingKey: AttestableDeviceKey, DeviceKeyDouble {
  let key: any DeviceKey

  func attestation(challenge: [UInt8]) async throws -> KeyAttestationEvidence {
    KeyAttestationEvidence(
      certificateChain: [[1, 2, 3]], members: ["nonce": .string(Data(challenge).base64EncodedString())])
  }
}
