import Concurrency
import DeviceKeys
import Foundation
import Testing
import UserVerification
@testable import WebAuthnAuthenticator
import WebAuthnFormats
import WebAuthnVerification

/// makeCredential, step by step (WebAuthn L3 §6.3.2).
@Suite struct MakeCredentialTests {
  @Test(arguments: [([-7], true), ([-8, -257, 4711, -7], true), ([-257, -35], false), ([Int.min], false)])
  func `step 1: the first supported algorithm counts, unknown ones are skipped`(
    offered: [Int], isSupported: Bool
  ) async throws {
    let device = try AuthenticatorDevice()
    let outcome = await failure {
      try await device.authenticator.makeCredential(
        .ordinary.with { $0.algorithms = offered }, consent: Person())
    }
    #expect(outcome == (isSupported ? nil : "unsupported"))
    #expect(try await device.keyStore.keys().count == (isSupported ? 1 : 0))
  }

  @Test(arguments: [true, false])
  func `step 2: an excluded credential ends it, whatever the person says`(consented: Bool) async throws {
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

  @Test func `step 2: another relying party's credential, and an unknown one, exclude nothing`() async throws
  {
    let device = try AuthenticatorDevice()
    let other = try await device.authenticator.makeCredential(
      .ordinary.with { $0.relyingPartyID = "example.org" }, consent: Person())
    let person = Person()
    _ = try await device.authenticator.makeCredential(
      .ordinary.with { $0.excluded = [other.source.id, [9]] }, consent: person)
    #expect(person.questions.count == 1)
  }

  @Test func `step 3: a person who cannot be verified is not asked for consent`() async throws {
    let person = Person()
    let device = try AuthenticatorDevice()
    let outcome = await failure {
      try await device.authenticator.makeCredential(
        .ordinary.with { $0.verifiesUser = true }, consent: person)
    }
    #expect(outcome == "constraint")
    #expect(person.questions.isEmpty)
  }

  @Test func `step 4: the person is told what is made, and may decline`() async throws {
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

  @Test func `step 5: a finger that is not enrolled, or a cancelled scan, is not a verification`()
    async throws
  {
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

  @Test(arguments: [true, false])
  func `step 5: a verified person sets UV, and binds the key to verifications`(byFinger: Bool) async throws {
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

  @Test(arguments: [true, false])
  func `steps 6 to 8: a random id; the user handle only of discoverable keys; key and record are stored`(
    isResident: Bool
  ) async throws {
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

  @Test func `steps 9 and 10: without attestation`() async throws {
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

  @Test func `step 10: the new key signs for itself`() async throws {
    let device = try AuthenticatorDevice()
    let made = try await device.authenticator.makeCredential(
      .ordinary.with { $0.attestation = .direct }, consent: Person())
    #expect(made.attestationObject.format == "packed")
    var policy = AttestationPolicy()
    policy.conveyance = .direct
    policy.acceptedTypes = [.selfSigned]
    #expect(try await Server.verify(made, attestation: policy).attestation.type == .selfSigned)
  }

  @Test func `a relying party that requires verification refuses a key that was made without`() async throws {
    let made = try await AuthenticatorDevice().authenticator.makeCredential(.ordinary, consent: Person())
    await #expect(throws: WebAuthnFailure.self) { try await Server.verify(made, verification: .required) }
  }

  @Test func `a new discoverable key takes the place of the account's older ones, when it is accepted`()
    async throws
  {
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

  @Test func `a cancelled task leaves nothing`() async throws {
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

  /// Cancels the task that encrypts for the nth time.
  struct CancellingEncryption: CredentialEncryption {
    let count = Locked(0)
    let last: Int

    func encrypt(_ record: Data) async throws -> Data {
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == last { withUnsafeCurrentTask { $0?.cancel() } }
      return record
    }

    func decrypt(_ record: Data) async throws -> Data? { record }
  }

  // The second one makes it a credential in use, of which the caller would not learn.
  @Test(arguments: [1, 2], [true, false])
  func `a task that is cancelled while the record is written leaves nothing`(
    last: Int, isRoaming: Bool
  ) async throws {
    var device = try AuthenticatorDevice()
    device.encryption = CancellingEncryption(last: last)
    let authenticator = device.authenticator
    let task = Task {
      try await isRoaming
        ? authenticator.makeRoamingCredential(.ordinary, nil)
        : authenticator.makeCredential(.ordinary, consent: Person())
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await device.expectNoOrphans(count: 0)
  }
}
