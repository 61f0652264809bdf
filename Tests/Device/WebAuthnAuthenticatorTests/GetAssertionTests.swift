import CommonFixtures
import DeviceKeyFixtures
import DeviceKeys
import Foundation
import Testing
import UserVerification
import WebAuthnAuthenticator
import WebAuthnFormats
import WebAuthnVerification

/// getAssertion, step by step (WebAuthn L3 §6.3.3).
@Suite struct GetAssertionTests {
  @Test func `step 1: an empty list finds the discoverable keys of this relying party only`() async throws {
    let device = try AuthenticatorDevice()
    let resident = MakeCredentialRequest.ordinary.with { $0.requiresResidentKey = true }
    _ = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    _ = try await device.authenticator.makeCredential(
      resident.with { $0.relyingPartyID = "example.org" }, consent: Person())
    #expect(
      await failure { try await device.authenticator.getAssertion(.request(), consent: Person()) }
        == "notAllowed")
    let made = try await device.authenticator.makeCredential(resident, consent: Person())
    let person = Person()
    let assertion = try await device.authenticator.getAssertion(.request(), consent: person)
    #expect(assertion.source.id == made.source.id)
    #expect(assertion.source.userHandle == Array("ZGVtbw".utf8))
    #expect(person.questions == [.use(CredentialUse(credential: made.source))])
  }

  @Test func `step 1: a listed id finds keys that are not discoverable, and none of another relying party`()
    async throws
  {
    let device = try AuthenticatorDevice()
    let made = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    let other = try await device.authenticator.makeCredential(
      .ordinary.with { $0.relyingPartyID = "example.org" }, consent: Person())
    let assertion = try await device.authenticator.getAssertion(
      .request(allowed: [[1], other.source.id, made.source.id, made.source.id]), consent: Person())
    #expect(assertion.source.id == made.source.id)
    #expect(assertion.source.userHandle == nil)
    #expect(
      await failure {
        try await device.authenticator.getAssertion(.request(allowed: [other.source.id]), consent: Person())
      } == "notAllowed")
  }

  @Test(arguments: [0, 1, nil])
  func `step 2: of several keys the person chooses one`(place: Int?) async throws {
    let device = try AuthenticatorDevice()
    var made: [MadeCredential] = []
    for handle: [UInt8] in [[1], [2]] {
      made.append(
        try await device.authenticator.makeCredential(
          .ordinary.with {
            $0.requiresResidentKey = true
            $0.userHandle = handle
          }, consent: Person()))
      device.later(by: 1)
    }
    let person = Person(choice: place)
    if let place {
      let assertion = try await device.authenticator.getAssertion(.request(), consent: person)
      #expect(assertion.source.id == made[place].source.id)
    } else {
      #expect(
        await failure { try await device.authenticator.getAssertion(.request(), consent: person) }
          == "notAllowed")
    }
    #expect(person.questions == [.choose(made.map(\.source.otherUI))])
  }

  @Test func `step 3: the person is verified when that is asked for`() async throws {
    var device = try AuthenticatorDevice()
    let made = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    let registration = try await Server.verify(made)
    let request = GetAssertionRequest.request(allowed: [made.source.id], verifiesUser: true)
    #expect(
      await failure { try await device.authenticator.getAssertion(request, consent: Person()) }
        == "notAllowed")
    device.password = "wrong"
    #expect(
      await failure { try await device.authenticator.getAssertion(request, consent: Person()) }
        == "notAllowed")
    #expect(try await device.sources.map(\.signCount) == [0])
    device.password = "secret"
    let assertion = try await device.authenticator.getAssertion(request, consent: Person())
    try Server.verify(assertion, by: registration, verification: .required)
  }

  @Test func `step 3: a key that was made with a verification signs only after one, asked for or not`()
    async throws
  {
    var device = try AuthenticatorDevice()
    let reader = MemoryBiometricVerifier(enrolled: ["right"])
    device.reader = reader
    reader.happen(.finger("right"))
    let made = try await device.authenticator.makeCredential(
      .ordinary.with { $0.verifiesUser = true }, consent: Person())
    let registration = try await Server.verify(made)
    let request = GetAssertionRequest.request(allowed: [made.source.id])

    reader.happen(.cancel)
    #expect(
      await failure { try await device.authenticator.getAssertion(request, consent: Person()) }
        == "notAllowed")
    reader.happen(.finger("right"))
    try Server.verify(
      try await device.authenticator.getAssertion(request, consent: Person()), by: registration,
      verification: .required)
    // Who enrols a finger of his own gets no key with it.
    reader.enrolled.insert("stranger's")
    reader.happen(.finger("stranger's"))
    #expect(
      await failure { try await device.authenticator.getAssertion(request, consent: Person()) }
        == "notAllowed")
  }

  @Test func `steps 4 to 7: each assertion is verified by the relying party and counts one up`() async throws
  {
    let device = try AuthenticatorDevice()
    let made = try await device.authenticator.makeCredential(
      .ordinary.with { $0.requiresResidentKey = true }, consent: Person())
    let registration = try await Server.verify(made)
    for count: UInt32 in 1...3 {
      let assertion = try await device.authenticator.getAssertion(.request(), consent: Person())
      #expect(assertion.authenticatorData.encoded.count == 37)
      #expect(assertion.authenticatorData.flags == .userPresent)
      #expect(assertion.authenticatorData.signCount == count)
      let verified = try Server.verify(assertion, by: registration, storedCount: count - 1)
      #expect(verified.counter == .advanced)
      #expect(throws: WebAuthnFailure.self) {
        try Server.verify(assertion, by: registration, storedCount: count)
      }
    }
  }

  @Test func `step 4: the count is saved before the signature is made`() async throws {
    var device = try AuthenticatorDevice()
    let made = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    let working = device.keyStore
    device.keyStore = BrokenSigning(keyStore: working)
    let request = GetAssertionRequest.request(allowed: [made.source.id])
    #expect(
      await failure { try await device.authenticator.getAssertion(request, consent: Person()) }
        == "failed Broken()")
    #expect(try await device.sources.map(\.signCount) == [1])
    device.keyStore = working
    let assertion = try await device.authenticator.getAssertion(request, consent: Person())
    #expect(assertion.authenticatorData.signCount == 2)
  }

  @Test func `a key that is gone is an error, and is not made again`() async throws {
    let device = try AuthenticatorDevice()
    let made = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    for key in try await device.keyStore.keys() { try await device.keyStore.deleteKey(tag: key.tag) }
    let outcome = await failure {
      try await device.authenticator.getAssertion(
        .request(allowed: [made.source.id]), consent: Person())
    }
    #expect(outcome?.hasPrefix("failed notFound") == true)
    #expect(try await device.keyStore.keys().isEmpty)
    #expect(try await device.sources.map(\.signCount) == [0])
  }

  @Test func `a deleted credential is gone with its key and what unlocked it`() async throws {
    var device = try AuthenticatorDevice()
    device.password = "secret"
    let made = try await device.authenticator.makeCredential(
      .ordinary.with { $0.verifiesUser = true }, consent: Person())
    try await device.authenticator.delete(made.source)
    try await device.authenticator.delete(made.source)
    try await device.expectNoOrphans(count: 0)
    let vault = try FileManager.default.contentsOfDirectory(
      atPath: device.folder.url.appending(path: "vault").path)
    #expect(!vault.contains { $0.hasSuffix(".authorization") })
    #expect(
      await failure {
        try await device.authenticator.getAssertion(.request(allowed: [made.source.id]), consent: Person())
      } == "notAllowed")
  }
}

/// Opens keys that cannot sign.
private struct BrokenSigning: DeviceKeyStore {
  let keyStore: any DeviceKeyStore

  var kind: KeyStoreKind { keyStore.kind }
  func supports(_ protection: KeyProtection) -> Bool { keyStore.supports(protection) }
  func createKey(tag: String, protection: KeyProtection, unlock: KeyUnlock) async throws -> any DeviceKey {
    try await keyStore.createKey(tag: tag, protection: protection, unlock: unlock)
  }
  func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    BrokenKey(key: try await keyStore.openKey(tag: tag, unlock: unlock))
  }
  func deleteKey(tag: String) async throws { try await keyStore.deleteKey(tag: tag) }
  func keys() async throws -> [StoredKey] { try await keyStore.keys() }
}

private struct Broken: Error {}

private struct BrokenKey: DeviceKeyDouble {
  let key: any DeviceKey
  func signature(for signingInput: [UInt8]) async throws -> [UInt8] { throw Broken() }
}
