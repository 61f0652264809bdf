import AppIntegrity
import AuthenticatorFixtures
import Bytes
import Concurrency
import Crypto
import DeviceKeys
import Foundation
import JOSE
import KeyAttestation
import StrictJSON
import Testing

@testable import FRAuth

private let challenge = "BBuZ+A9t9r0RT/ZpoBy4f5+OS0vMoQ02suUJ/MnK7BA="

/// Apple's service, played.
struct AppAttestDouble: FRAppAttestService {
  let service: ScriptedAppAttest
  var isSupported = true
  var failure: FRDeviceCheckAPIFailure?

  func generateKey() async throws -> String { await service.generateKey() }

  func attest(keyIdentifier: String, clientDataHash: Data) async throws -> Data {
    if let failure { throw failure }
    return try await service.attest(clientDataHash)
  }

  func generateAssertion(keyIdentifier: String, clientDataHash: Data) async throws -> Data {
    try await service.generateAssertion(clientDataHash)
  }
}

/// Keys in memory that say they can be attested.
struct AttestingStore: DeviceKeyStore {
  let keys = MemoryKeyStore()
  var availability = KeyStoreAvailability.available
  var fails = false

  struct Key: AttestableDeviceKey {
    let key: any DeviceKey
    let fails: Bool
    var tag: String { key.tag }
    var publicKey: JWK { key.publicKey }
    func signature(for input: [UInt8]) async throws -> [UInt8] { try await key.signature(for: input) }

    func attestation(challenge: [UInt8]) async throws -> KeyAttestationEvidence {
      if fails { throw DeviceKeyError.busy("The chip does not answer.") }
      return KeyAttestationEvidence(
        certificateChain: [[1, 2, 3]], members: ["tpm": .string(PaddedBase64.encode(challenge))])
    }
  }

  var kind: KeyStoreKind { keys.kind }
  func supports(_ protection: KeyProtection) -> Bool { true }
  func attestationAvailability() async -> KeyStoreAvailability { availability }
  func createKey(tag: String, protection: KeyProtection, unlock: KeyUnlock) async throws -> any DeviceKey {
    Key(key: try await keys.createKey(tag: tag, protection: protection, unlock: unlock), fails: fails)
  }
  func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    try await keys.openKey(tag: tag, unlock: unlock)
  }
  func deleteKey(tag: String) async throws { await keys.deleteKey(tag: tag) }
  func keys() async throws -> [StoredKey] { await keys.keys() }
}

@Suite struct AppIntegrityCallbackTests {
  static func json(
    challenge: Any = challenge,
    inputs: [String] = ["attestToken", "token", "keyId", "clientData", "clientError"]
  ) -> [String: Any] {
    [
      "type": "AppIntegrityCallback", "_id": 1, "output": [["name": "challenge", "value": challenge]],
      "input": inputs.map { ["name": "IDToken2\($0)", "value": ""] },
    ]
  }

  private func callback() throws -> FRAppIntegrityCallback { try FRAppIntegrityCallback(json: Self.json()) }

  @Test func `App Attest's answer passes the server's verifier`() async throws {
    let authority = try AppAttestAuthority()
    let callback = try callback()
    #expect(callback.challenge == challenge)
    callback.attestation = FRAppAttestDomainModal(
      service: AppAttestDouble(service: ScriptedAppAttest(authority)), bundleIdentifier: "com.example.app")
    try await callback.requestIntegrityToken()
    let sent = callback.inputValues.mapValues { $0 as? String ?? "" }
    #expect(sent["IDToken2clientError"] == "")
    let verified = try await AppIntegrityVerifier(
      AttestationVerifier.Configuration(appAttestRoots: try TrustAnchors([authority.root]))
    ) { Date(timeIntervalSince1970: 1_800_000_000) }
    .verify(
      AppIntegrityVerifier.Answer(
        attestation: sent["IDToken2attestToken"] ?? "", assertion: sent["IDToken2token"] ?? "",
        keyID: sent["IDToken2keyId"] ?? "", clientData: sent["IDToken2clientData"] ?? ""),
      expecting: AppIntegrityVerifier.Expectations(
        challenge: challenge, applicationIDs: ["ABCDE12345.com.example.app"]))
    #expect(verified.applicationID == "ABCDE12345.com.example.app")
    #expect((callback.buildResponse()["input"] as? [[String: Any]])?.count == 5)
  }

  @Test(arguments: FRDeviceCheckAPIFailure.allCases)
  func `a failure of the device is thrown, and the server is told`(failure: FRDeviceCheckAPIFailure)
    async throws
  {
    let callback = try callback()
    callback.attestation = FRAppAttestDomainModal(
      service: AppAttestDouble(service: ScriptedAppAttest(try AppAttestAuthority()), failure: failure),
      bundleIdentifier: "com.example.app")
    await #expect(throws: failure) { try await callback.requestIntegrityToken() }
    #expect(callback.inputValues["IDToken2clientError"] as? String == failure.clientError)
    #expect(callback.inputValues["IDToken2attestToken"] as? String == "")
    #expect((failure.clientError == "Unsupported") == (failure == .featureUnsupported))
    #expect(failure.errorDescription?.isEmpty == false)
  }

  @Test func `a device without App Attest, an app without identifier, and a strange challenge are not asked`()
    async throws
  {
    let service = ScriptedAppAttest(try AppAttestAuthority())
    await #expect(throws: FRDeviceCheckAPIFailure.featureUnsupported) {
      try await FRAppAttestDomainModal(
        service: AppAttestDouble(service: service, isSupported: false), bundleIdentifier: "com.example.app"
      ).requestIntegrityToken(challenge: challenge)
    }
    for bundle in [nil, ""] as [String?] {
      await #expect(throws: FRDeviceCheckAPIFailure.invalidBundleIdentifier) {
        try await FRAppAttestDomainModal(service: AppAttestDouble(service: service), bundleIdentifier: bundle)
          .requestIntegrityToken(challenge: challenge)
      }
    }
    for text in ["", "%", "Pay 100 USD"] {
      await #expect(throws: FRDeviceCheckAPIFailure.invalidChallenge) {
        try await FRAppAttestDomainModal(service: AppAttestDouble(service: service), bundleIdentifier: "a")
          .requestIntegrityToken(challenge: text)
      }
      await #expect(throws: FRDeviceCheckAPIFailure.invalidChallenge) {
        try await DeviceKeyAttestation(keyStore: AttestingStore(), applicationID: "a")
          .requestIntegrityToken(challenge: text)
      }
    }
  }

  @Test func `without anything that attests, the server is told that it is unsupported`() async throws {
    let callback = try callback()
    callback.attestation = NoAppAttestation()
    let failure: any Error = await withCheckedContinuation { continuation in
      callback.requestIntegrityToken { result in
        if case .failure(let error) = result { continuation.resume(returning: error) }
      }
    }
    #expect(failure as? FRDeviceCheckAPIFailure == .featureUnsupported)
    #expect(callback.inputValues["IDToken2clientError"] as? String == "Unsupported")
  }

  @Test func `a key store attests the challenge with a key that is gone afterwards`() async throws {
    let callback = try callback()
    let store = AttestingStore()
    callback.attestation = DeviceKeyAttestation(keyStore: store, applicationID: "com.example.kiosk")
    try await callback.requestIntegrityToken()
    let token = try #require(callback.inputValues["IDToken2attestToken"] as? String)
    let jws = try UnverifiedJWS(compact: token, limits: .withCertificates)
    #expect(jws.header.type == "app-integrity+jws")
    #expect(jws.header.jwk?["tpm"] == .string(challenge) && jws.header.jwk?["x5c"] == ["AQID"])
    let claims = try jws.verified(with: VerificationKey(JWK(json: jws.header.jwk ?? [:])), allowing: [.es256])
      .claims()
    #expect(claims == ["challenge": .string(challenge), "bundleId": "com.example.kiosk"])
    #expect(try await store.keys().isEmpty)
  }

  @Test func `a chip that fails leaves no key, and a store that cannot attest is unsupported`() async throws {
    let failing = AttestingStore(fails: true)
    let callback = try callback()
    callback.attestation = DeviceKeyAttestation(keyStore: failing, applicationID: "com.example.kiosk")
    await #expect(throws: DeviceKeyError.self) { try await callback.requestIntegrityToken() }
    #expect(callback.inputValues["IDToken2clientError"] as? String == "ClientDeviceErrors")
    #expect(try await failing.keys().isEmpty)
    for store: any DeviceKeyStore in [MemoryKeyStore(), AttestingStore(availability: .absent("no chip"))] {
      await #expect(throws: FRDeviceCheckAPIFailure.featureUnsupported) {
        try await DeviceKeyAttestation(keyStore: store, applicationID: "a").requestIntegrityToken(
          challenge: challenge)
      }
    }
  }

  @Test func `a callback that lacks what it needs is refused`() {
    for json: [String: Any] in [
      Self.json(challenge: ""), Self.json(challenge: 7), Self.json(inputs: ["token", "clientError"]),
      Self.json(inputs: ["attestToken"]), ["output": [Any]()], [:],
    ] { #expect(throws: AuthError.self) { try FRAppIntegrityCallback(json: json) } }
  }

  @Test func `the app can answer itself`() throws {
    let callback = try callback()
    callback.setAttestToken("a")
    callback.setToken("b")
    callback.setKeyId("c")
    callback.setClientData("d")
    callback.setClientError("e")
    #expect(
      callback.inputValues as? [String: String] == [
        "IDToken2attestToken": "a", "IDToken2token": "b", "IDToken2keyId": "c", "IDToken2clientData": "d",
        "IDToken2clientError": "e",
      ])
  }
}
