import DeviceKeys
import Foundation
import JOSE
import Testing
import UserVerification
import WebAuthnAuthenticator
import WebAuthnFormats
import WebAuthnVerification

/// makeCredential, step by step (WebAuthn L3 §6.3.2).
@Suite struct MakeCredentialTests {
  @Test(
    "Step 1: the first supported algorithm counts, unknown ones are skipped",
    arguments: [([-7], true), ([-8, -257, 4711, -7], true), ([-257, -35], false), ([Int.min], false)])
  func algorithms(offered: [Int], isSupported: Bool) async throws {
    let device = try AuthenticatorDevice()
    let outcome = await failure {
      try await device.authenticator.makeCredential(
        .ordinary.with { $0.algorithms = offered }, consent: Person())
    }
    #expect(outcome == (isSupported ? nil : "unsupported"))
    #expect(try await device.keyStore.keys().count == (isSupported ? 1 : 0))
  }

  @Test("Step 2: an excluded credential ends it, whatever the person says", arguments: [true, false])
  func excluded(consented: Bool) async throws {
    let device = try AuthenticatorDevice()
    let made = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    let person = Person(reveals: consented)
    let outcome = await failure {
      try await device.authenticator.makeCredential(
        .ordinary.with { $0.excluded = [[1, 2, 3], made.source.id] }, consent: person)
    }
    #expect(outcome == "excluded \(consented)")
    #expect(person.questions == [.excluded])
    try await device.expectNoOrphans(count: 1)
  }

  @Test("Step 2: another relying party's credential, and an unknown one, exclude nothing")
  func excludedElsewhere() async throws {
    let device = try AuthenticatorDevice()
    let other = try await device.authenticator.makeCredential(
      .ordinary.with { $0.relyingPartyID = "example.org" }, consent: Person())
    let person = Person()
    _ = try await device.authenticator.makeCredential(
      .ordinary.with { $0.excluded = [other.source.id, [9]] }, consent: person)
    #expect(person.questions.count == 1)
  }

  @Test("Step 3: a person who cannot be verified is not asked for consent")
  func constraint() async throws {
    let person = Person()
    let device = try AuthenticatorDevice()
    let outcome = await failure {
      try await device.authenticator.makeCredential(
        .ordinary.with { $0.verifiesUser = true }, consent: person)
    }
    #expect(outcome == "constraint")
    #expect(person.questions.isEmpty)
  }

  @Test("Step 4: the person is told what is made, and may decline")
  func consent() async throws {
    let person = Person(creates: false)
    let device = try AuthenticatorDevice()
    let outcome = await failure {
      try await device.authenticator.makeCredential(.ordinary, consent: person)
    }
    #expect(outcome == "declined")
    #expect(
      person.questions == [
        .create(
          CredentialDescription(
            keyName: "Demo User (20251121 05:40:00)", relyingPartyName: "Example",
            relyingPartyID: "example.com", userName: "demo", userDisplayName: "Demo User"))
      ])
    #expect(try await device.keyStore.keys().isEmpty)
  }

  @Test("Step 5: a finger that is not enrolled, or a cancelled scan, is not a verification")
  func refusedVerification() async throws {
    var device = try AuthenticatorDevice()
    let reader = MemoryBiometricVerifier(enrolled: ["right"])
    device.reader = reader
    for events: [MemoryBiometricVerifier.Event] in [
      [.finger("left"), .finger("left"), .finger("left")], [.cancel], [.unplug],
    ] {
      for event in events { reader.happen(event) }
      let outcome = await failure {
        try await device.authenticator.makeCredential(
          .ordinary.with { $0.verifiesUser = true }, consent: Person())
      }
      #expect(outcome == "notAllowed")
    }
    #expect(try await device.keyStore.keys().isEmpty)
  }

  @Test("Step 5: a verified person sets UV, and binds the key to verifications", arguments: [true, false])
  func verification(byFinger: Bool) async throws {
    var device = try AuthenticatorDevice()
    if byFinger {
      let reader = MemoryBiometricVerifier(enrolled: ["right"])
      reader.happen(.finger("right"))
      device.reader = reader
    } else {
      device.password = "secret"
    }
    let made = try await device.authenticator.makeCredential(
      .ordinary.with { $0.verifiesUser = true }, consent: Person())
    #expect(made.source.requiresUserVerification)
    let verified = try await Server.verify(made, verification: .required)
    #expect(verified.flags == [.userPresent, .userVerified, .attestedCredential])
    #expect(try await device.keyStore.keys().map(\.protection) == [.biometricOrCredential])
  }

  @Test(
    "Steps 6 to 8: a random id; the user handle only of discoverable keys; key and record are stored",
    arguments: [true, false])
  func stored(isResident: Bool) async throws {
    let device = try AuthenticatorDevice()
    let made = try await device.authenticator.makeCredential(
      .ordinary.with { $0.requiresResidentKey = isResident }, consent: Person())
    let other = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    #expect(made.source.id.count == 16)
    #expect(made.source.id != other.source.id)
    #expect(made.source.userHandle == (isResident ? Array("ZGVtbw".utf8) : nil))
    #expect(made.source.signCount == 0)
    let hexadecimal = made.source.id.map { String(format: "%02x", $0) }.joined()
    #expect(made.source.keyLabel == "example.com/\(hexadecimal)")
    #expect(try await device.sources.contains(made.source))
    try await device.expectNoOrphans(count: 2)
  }

  @Test("Steps 9 and 10: without attestation")
  func unattested() async throws {
    let device = try AuthenticatorDevice()
    let made = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    let verified = try await Server.verify(made)
    #expect(made.attestationObject.format == "none")
    #expect(verified.attestation.type == .none)
    #expect(verified.credentialID == made.source.id)
    #expect(verified.aaguid == .zero)
    #expect(verified.signCount == 0)
    #expect(verified.flags == [.userPresent, .attestedCredential])
  }

  @Test("Step 10: the new key signs for itself")
  func packedSelf() async throws {
    let device = try AuthenticatorDevice()
    let made = try await device.authenticator.makeCredential(
      .ordinary.with { $0.attestation = .direct }, consent: Person())
    #expect(made.attestationObject.format == "packed")
    let policy = AttestationPolicy(conveyance: .direct, acceptedTypes: [.selfSigned])
    #expect(try await Server.verify(made, attestation: policy).attestation.type == .selfSigned)
  }

  @Test("A relying party that requires verification refuses a key that was made without")
  func unverifiedIsRefused() async throws {
    let made = try await AuthenticatorDevice().authenticator.makeCredential(.ordinary, consent: Person())
    await #expect(throws: WebAuthnFailure.self) { try await Server.verify(made, verification: .required) }
  }

  @Test("A new discoverable key takes the place of the account's older ones, when it is accepted")
  func predecessors() async throws {
    let device = try AuthenticatorDevice()
    let request = MakeCredentialRequest.ordinary.with { $0.requiresResidentKey = true }
    let old = try await device.authenticator.makeCredential(request, consent: Person())
    let others = try await device.authenticator.makeCredential(
      request.with { $0.userHandle = [1] }, consent: Person())
    let notDiscoverable = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    device.later(by: 1)
    let new = try await device.authenticator.makeCredential(request, consent: Person())
    #expect(try await device.sources.contains(old.source))
    try await device.authenticator.removePredecessors(of: new.source)
    #expect(
      Set(try await device.sources) == [others.source, notDiscoverable.source, new.source])
    try await device.expectNoOrphans(count: 3)
  }

  @Test("A cancelled task leaves nothing")
  func cancelled() async throws {
    let device = try AuthenticatorDevice()
    let authenticator = device.authenticator
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await authenticator.makeCredential(.ordinary, consent: Person())
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await device.keyStore.keys().isEmpty)
    #expect(try await device.sources.isEmpty)
  }
}
