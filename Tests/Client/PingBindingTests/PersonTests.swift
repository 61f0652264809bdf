import DeviceKeys
import Foundation
import PingBinding
import PingJourneyPlugin
import ProofFixtures
import Testing
import CommonFixtures
import UserVerification

/// Keys that the person in front of the device unlocks: with a finger, or with the device's own credential.
@Suite struct PersonTests {
  static let types = ["BIOMETRIC_ONLY", "BIOMETRIC_ALLOW_FALLBACK"]

  let device = BindingDevice()
  let reader = MemoryBiometricVerifier(enrolled: ["right thumb"], name: "built-in")

  private func bind(
    _ type: String, reader: MemoryBiometricVerifier? = nil, password: String? = nil, entered: String? = nil,
    _ config: (DeviceBindingConfig) -> Void = { _ in }
  ) async -> Outcome {
    await device.bind(bindingCallback(type: type)) {
      configure($0, reader, password, entered)
      config($0)
    }
  }

  private func sign(
    reader: MemoryBiometricVerifier? = nil, password: String? = nil, entered: String? = nil
  ) async -> Outcome {
    await device.sign(signingCallback()) { configure($0, reader, password, entered) }
  }

  private func configure(
    _ config: DeviceBindingConfig, _ reader: MemoryBiometricVerifier?, _ password: String?, _ entered: String?
  ) {
    config.biometricVerifier = reader
    config.deviceCredentialVerifier = MemoryCredentialVerifier(password: password)
    config.credentialSource = FixedCredentialSource(entered.map { CredentialSecret($0) })
  }

  @Test(arguments: types)
  func `a finger binds and a finger signs`(type: String) async throws {
    reader.happen(.finger("right thumb"))
    _ = try await bind(type, reader: reader).token()
    #expect(
      reader.reasons == ["Choose a PIN"], "asked once, with the server's text, for key and first signature")
    let key = try #require(try await device.keys.first)
    #expect(key.authType.rawValue == type)
    reader.happen(.unreadable)
    reader.happen(.finger("right thumb"))
    _ = try await sign(reader: reader).token()
    #expect(reader.reasons == ["Choose a PIN", "Unlock your key"])
    try await device.expectNothingLeftOver(count: 1)
  }

  @Test func `the key itself does not open without what the verification releases`() async throws {
    reader.happen(.finger("right thumb"))
    _ = try await bind("BIOMETRIC_ONLY", reader: reader).token()
    let tag = try #require(try await device.keys.first).keyTag
    await #expect(throws: DeviceKeyError.self) {
      try await device.keyStore.openKey(tag: tag, unlock: .nothing)
    }
    await #expect(throws: DeviceKeyError.self) {
      try await device.keyStore.openKey(tag: tag, unlock: .authorization(AuthorizationValue()))
    }
  }

  // MARK: Who cannot be verified

  @Test(arguments: [false, true])
  func `biometric only fails at once without reader or enrolment`(isConnected: Bool) async throws {
    let reader = MemoryBiometricVerifier(isConnected: isConnected)
    let outcome = await bind("BIOMETRIC_ONLY", reader: reader, password: "sesame", entered: "sesame")
    #expect(outcome.status?.clientError == "Unsupported")
    #expect(reader.reasons.isEmpty, "nobody was asked")
    #expect(
      try #require(outcome.status?.errorMessage).contains(
        isConnected ? "Enrol a finger" : "Connect a reader"))
    try await device.expectNothingLeftOver(count: 0)
  }

  @Test(arguments: [false, true])
  func `the fallback goes on to the device credential`(isConnected: Bool) async throws {
    let reader = MemoryBiometricVerifier(isConnected: isConnected)
    _ = try await bind("BIOMETRIC_ALLOW_FALLBACK", reader: reader, password: "sesame", entered: "sesame")
      .token()
    _ = try await sign(reader: reader, password: "sesame", entered: "sesame").token()
    #expect(await sign(reader: reader, password: "sesame", entered: "open").status == .unAuthorize)
    #expect(await sign(reader: reader, password: "sesame", entered: nil).status == .abort)
  }

  @Test func `without credential the fallback is unsupported too`() async throws {
    let outcome = await bind("BIOMETRIC_ALLOW_FALLBACK", reader: MemoryBiometricVerifier())
    #expect(outcome.status?.clientError == "Unsupported")
    #expect(try #require(outcome.status?.errorMessage).contains("no credential of its own"))
    try await device.expectNothingLeftOver(count: 0)
  }

  @Test func `three strange fingers are refused or lead to the credential`() async throws {
    for type in Self.types {
      reader.happen(.finger("right thumb"))
      _ = try await bind(type, reader: reader, password: "sesame").token()
      for _ in 1...3 { reader.happen(.finger("a stranger's")) }
      let outcome = await sign(reader: reader, password: "sesame", entered: "sesame")
      if type == "BIOMETRIC_ONLY" {
        #expect(outcome.status == .unAuthorize)
      } else {
        _ = try outcome.token()
      }
    }
  }

  @Test func `a reader that is unplugged mid scan is a clear error`() async throws {
    reader.happen(.finger("right thumb"))
    _ = try await bind("BIOMETRIC_ONLY", reader: reader).token()
    reader.happen(.unplug)
    let outcome = await sign(reader: reader)
    #expect(outcome.status?.clientError == "Unsupported")
    #expect(try #require(outcome.status?.errorMessage).contains("went away"))
    try await device.expectNothingLeftOver(count: 1)
  }

  @Test(arguments: types)
  func `cancelling at the reader aborts`(type: String) async throws {
    reader.happen(.cancel)
    #expect(await bind(type, reader: reader, password: "sesame", entered: "sesame").status == .abort)
    try await device.expectNothingLeftOver(count: 0)
  }

  // MARK: Deadlines

  /// Nobody shows a finger, or answers the question for the password, until the time is up.
  @Test(arguments: types, [false, true])
  func `the time limit ends the verification and leaves nothing`(type: String, hasReader: Bool) async throws {
    guard type != "BIOMETRIC_ONLY" || hasReader else { return }
    let clock = ManualClock()
    var device = device
    device.clock = clock
    let (asked, slow) = (Signal(), SilentSource())
    let callback = bindingCallback(type: type)
    async let outcome = device.bind(callback) {
      configure($0, hasReader ? reader : nil, "sesame", nil)
      $0.biometricProgress = { _ in asked.fire() }
      $0.credentialSource = slow
    }
    await (hasReader ? asked : slow.asked).wait()
    clock.advance(by: .seconds(60))
    #expect(await outcome.status == .timeout)
    #expect(inputs(of: callback.payload())["clientError"] == "Timeout")
    try await device.expectNothingLeftOver(count: 0)
  }

  // MARK: What is enrolled

  @Test(arguments: types, [Set(["right thumb", "left thumb"]), ["left thumb"], []])
  func `a changed enrolment refuses the key and a restored one counts again`(type: String, now: Set<String>)
    async throws
  {
    reader.happen(.finger("right thumb"))
    _ = try await bind(type, reader: reader, password: "sesame").token()
    let before = reader.enrolled
    reader.enrolled = now
    let outcome = await sign(reader: reader, password: "sesame", entered: "sesame")
    #expect(outcome.status == .clientNotRegistered)
    #expect(reader.reasons.count == 1, "nobody shows a finger for nothing")
    try await device.expectNothingLeftOver(count: 1)
    reader.enrolled = before
    reader.happen(.finger("right thumb"))
    _ = try await sign(reader: reader, password: "sesame", entered: "sesame").token()
  }

  @Test func `what is enrolled on another reader is no change`() async throws {
    reader.happen(.finger("right thumb"))
    _ = try await bind("BIOMETRIC_ALLOW_FALLBACK", reader: reader, password: "sesame").token()
    let other = MemoryBiometricVerifier(enrolled: ["left thumb"], name: "dock")
    _ = try await sign(reader: other, password: "sesame", entered: "sesame").token()
    #expect(await sign(reader: other, password: "sesame", entered: "wrong").status == .unAuthorize)
    try await device.expectNothingLeftOver(count: 1)
  }

  @Test func `a key for fingers only waits for its reader`() async throws {
    reader.happen(.finger("right thumb"))
    _ = try await bind("BIOMETRIC_ONLY", reader: reader).token()
    let outcome = await sign(reader: MemoryBiometricVerifier(enrolled: ["left thumb"], name: "dock"))
    #expect(outcome.status?.clientError == "Unsupported")
    #expect(outcome.status?.errorMessage.contains("another fingerprint reader") == true)
    reader.happen(.finger("right thumb"))
    _ = try await sign(reader: reader).token()
  }

  @Test func `the person may decide that what is enrolled now is theirs`() async throws {
    reader.happen(.finger("right thumb"))
    _ = try await bind("BIOMETRIC_ALLOW_FALLBACK", reader: reader, password: "sesame").token()
    let key = try #require(try await device.keys.first)
    reader.enrolled = ["left thumb"]
    #expect(await sign(reader: reader, password: "sesame", entered: "sesame").status == .clientNotRegistered)
    try device.vault.renew(
      tag: key.keyTag, for: DeviceCredentialVerification(), enrolment: try await reader.enrolment())
    reader.happen(.finger("left thumb"))
    _ = try await sign(reader: reader, password: "sesame").token()
  }

  @Test(arguments: types)
  func `the policy may accept a changed enrolment`(type: String) async throws {
    let config = BiometricAuthenticatorConfig()
    config.enrolmentChangePolicy = .accept
    reader.happen(.finger("right thumb"))
    _ = try await bind(type, reader: reader) { $0.authenticatorConfig = config }.token()
    let key = try #require(try await device.keys.first)
    reader.enrolled = ["left thumb"]
    reader.happen(.finger("left thumb"))
    #expect(try await sign(reader: reader).token().keyID == key.kid)
    #expect(reader.reasons.count == 2, "the new finger was asked for")
  }

  @Test func `without the reader the credential unlocks a key that a finger made`() async throws {
    reader.happen(.finger("right thumb"))
    _ = try await bind("BIOMETRIC_ALLOW_FALLBACK", reader: reader, password: "sesame").token()
    let key = try #require(try await device.keys.first)
    #expect(try await sign(password: "sesame", entered: "sesame").token().keyID == key.kid)
    #expect(reader.reasons.count == 1, "only the credential was asked for")
    #expect(await sign(password: "sesame", entered: "open").status == .unAuthorize)
  }

  // MARK: Cleaning up

  @Test(arguments: types)
  func `a deleted key leaves nothing in the vault`(type: String) async throws {
    reader.happen(.finger("right thumb"))
    _ = try await bind(type, reader: reader).token()
    let key = try #require(try await device.keys.first)
    try await BindingModule.deleteKey(
      key, userKeyStorage: UserKeyStorageConfig(storage: device.storage), keyStore: device.keyStore,
      authorizationVault: device.vault)
    let verification = BiometricVerification(enrolment: try await reader.enrolment())
    #expect(throws: AuthorizationVaultError.self) {
      _ = try device.vault.release(tag: key.keyTag, for: .biometric(verification))
    }
  }

  @Test(arguments: types)
  func `a full disk in the vault leaves no key`(type: String) async throws {
    // A file where the vault's folder should be.
    try FileManager.default.createDirectory(at: device.folder.url, withIntermediateDirectories: true)
    try Data().write(to: device.folder.url.appending(path: "vault"))
    reader.happen(.finger("right thumb"))
    let outcome = await bind(type, reader: reader)
    #expect(outcome.status?.clientError == "Unsupported")
    #expect(try await device.privateKeyTags.isEmpty)
    #expect(try await device.keys.isEmpty)
  }
}

/// Takes the question and never answers, even when its task is cancelled.
private struct SilentSource: CredentialSource {
  let asked = Signal()

  func answer(to question: CredentialQuestion) async -> CredentialSecret? {
    asked.fire()
    // An app's bug: nobody ever fires this.
    await Signal().wait()
    return nil
  }
}
