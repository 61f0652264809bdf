import Assembly
import AttestationAuthority
import AuthenticatorFixtures
import CommonFixtures
import Crypto
import DeviceKeysTPM
import Foundation
import FRAuth
import KeyAttestation
import LegacyFixtures
import SealringTesting
import SoftwareTPM
import StrictJSON
import Testing

/// An app of the earlier SDK's names proves itself to a journey's node over HTTP.
@Suite(.serialized, .earlierNames) struct AppIntegrityTests {
  private static let success = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"
  private static let failure = "e301438c-0bd0-429c-ab0c-66126501069a"

  /// The node's outcome is where the journey ends: a name that only `true` leads past.
  private static func journey(applications: String, acceptsTPM: Bool) -> String {
    """
    {"trees": {"Integrity": {
      "tree": {"_id": "Integrity", "entryNodeId": "n", "nodes": {
        "n": {"nodeType": "AppIntegrityNode", "displayName": "n", "connections":
          {"true": "a", "false": "\(failure)", "unsupported": "\(failure)", "clientError": "\(failure)"}},
        "a": {"nodeType": "AnonymousUserNode", "displayName": "a", "connections": {"outcome": "\(success)"}}}},
      "nodes": {
        "n": {"_id": "n", "_type": {"_id": "AppIntegrityNode"}, "applicationIds": ["\(applications)"],
          "acceptTpm": \(acceptsTPM)},
        "a": {"_id": "a", "_type": {"_id": "AnonymousUserNode"}, "anonymousUserName": "mira"}}}}}
    """
  }

  private func run(
    applications: String, acceptsTPM: Bool = false, trusting configuration: AttestationVerifier.Configuration,
    _ body: @escaping @Sendable (TestServer) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder.make()
    defer { withExtendedLifetime(folder) {} }
    try folder.write(
      Array(Self.journey(applications: applications, acceptsTPM: acceptsTPM).utf8),
      to: "alpha/Integrity.journey.json")
    // Certificates are of today.
    try await TestServer.run(
      clock: TestClock(start: Date()), journeys: folder.url, configure: { $0.attestation = configuration }
    ) { server in
      try await server.addUser("mira", password: "Correct horse battery 1")
      try LegacyClient.start(on: server)
      try await body(server)
    }
  }

  private enum End: Equatable { case session, refused }

  /// Plays the journey with `attestation`.
  private func play(_ attestation: any FRAppAttestation) async throws -> End {
    let start = await step { FRSession.authenticate(authIndexValue: "Integrity", completion: $0) }
    let node = try #require(start.node, "\(String(describing: start.error))")
    let callback = try #require(node.callbacks.first as? FRAppIntegrityCallback)
    callback.attestation = attestation
    _ = try? await callback.requestIntegrityToken()
    let end = await step { node.next(completion: $0) }
    #expect(end.node == nil)
    FRSession.currentSession?.logout()
    return end.token?.value.isEmpty == false ? .session : .refused
  }

  private struct Step: Sendable {
    let token: Token?
    let node: Node?
    var error: (any Error)?
  }

  private func step(_ ask: (@escaping NodeCompletion<Token>) -> Void) async -> Step {
    await withCheckedContinuation { continuation in
      ask { token, node, error in
        continuation.resume(returning: Step(token: token, node: node, error: error))
      }
    }
  }

  /// A device's TPM, whose attestation key `authority` has certified.
  private func certified(_ chip: SoftwareTPM, in folder: URL, by authority: AttestationAuthority) async throws
    -> TPMKeyStore
  {
    let store = try TPMKeyStore(directory: folder, tcti: chip.tcti)
    let identity = try await store.attestationIdentity()
    let issued = try await authority.issue(
      for: AttestationKeyRequest(
        endorsementCertificate: identity.endorsementCertificate, endorsementKey: identity.endorsementKey,
        attestationKey: identity.attestationKey),
      trusting: .anyKey)
    let secret = try await store.activateCredential(
      credentialBlob: issued.credential.credentialBlob, encryptedSecret: issued.credential.encryptedSecret)
    try await store.installAttestationCertificates(
      issued.credential.certificates(
        secret: SymmetricKey(data: secret), attestationKey: identity.attestationKey))
    return store
  }

  @Test func `a device with a certified TPM passes, and leaves no key; without a certificate it does not`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let authority = try AttestationAuthority.create(directory: folder.appending(path: "authority"))
      let roots = try TrustAnchors([Array(authority.rootPEM.utf8)])
      try await SoftwareTPM.run { chip in
        let bare = try TPMKeyStore(directory: folder.appending(path: "bare"), tcti: chip.tcti)
        let store = try await certified(chip, in: folder.appending(path: "keys"), by: authority)
        try await run(
          applications: "com.example.kiosk", acceptsTPM: true, trusting: .init(tpmRoots: roots)
        ) { (server: TestServer) async throws in
          #expect(
            try await play(DeviceKeyAttestation(keyStore: store, applicationID: "com.example.kiosk"))
              == .session)
          #expect(try await store.keys().isEmpty)
          #expect(
            try await play(DeviceKeyAttestation(keyStore: bare, applicationID: "com.example.kiosk"))
              == .refused)
          #expect(
            try await play(DeviceKeyAttestation(keyStore: store, applicationID: "com.example.evil"))
              == .refused)
          #expect(server.log.contains("applicationMismatch"))
        }
        try await run(applications: "com.example.kiosk", trusting: .init(tpmRoots: roots)) {
          (server: TestServer) async throws in
          #expect(
            try await play(DeviceKeyAttestation(keyStore: store, applicationID: "com.example.kiosk"))
              == .refused)
          #expect(server.log.contains("deviceAttestationRefused"))
        }
      }
    }
  }

  @Test
  func
    `an app that App Attest knows passes, another one does not, and Apple's root does not know the tests'`()
    async throws
  {
    let authority = try AppAttestAuthority()
    let roots = try TrustAnchors([authority.root])
    let app = FRAppAttestDomainModal(
      service: AppAttestDouble(service: ScriptedAppAttest(authority)), bundleIdentifier: "com.example.app")
    let other = FRAppAttestDomainModal(
      service: AppAttestDouble(
        service: ScriptedAppAttest(authority, applicationID: "ABCDE12345.com.example.evil")),
      bundleIdentifier: "com.example.app")
    try await run(applications: "ABCDE12345.com.example.app", trusting: .init(appAttestRoots: roots)) {
      (_: TestServer) async throws in
      #expect(try await play(app) == .session)
      #expect(try await play(other) == .refused)
    }
    try await run(applications: "ABCDE12345.com.example.app", trusting: .init()) {
      (server: TestServer) async throws in
      #expect(try await play(app) == .refused)
      #expect(server.log.contains("unknownIssuer"))
    }
  }
}

private struct AppAttestDouble: FRAppAttestService {
  let service: ScriptedAppAttest
  var isSupported: Bool { true }
  func generateKey() async throws -> String { await service.generateKey() }
  func attest(keyIdentifier: String, clientDataHash: Data) async throws -> Data {
    try await service.attest(clientDataHash)
  }
  func generateAssertion(keyIdentifier: String, clientDataHash: Data) async throws -> Data {
    try await service.generateAssertion(clientDataHash)
  }
}
