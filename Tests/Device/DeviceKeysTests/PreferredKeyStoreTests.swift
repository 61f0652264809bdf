import Concurrency
import DeviceKeys
import Foundation
import Testing

/// Where keys are made and found when there are two stores.
@Suite struct PreferredKeyStoreTests {
  let hardware = Chip()
  let software = MemoryKeyStore()

  func store(_ requirement: PreferredKeyStore.Requirement = .hardwareIfPresent) -> PreferredKeyStore {
    PreferredKeyStore(hardware: hardware, software: software, requirement: requirement)
  }

  @Test(arguments: [PreferredKeyStore.Requirement.hardware, .hardwareIfPresent])
  func `keys are made in hardware that is there`(requirement: PreferredKeyStore.Requirement) async throws {
    let store = store(requirement)
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(PIN("4711")))
    #expect(try await hardware.keys().map(\.tag) == ["k"])
    #expect(await software.keys().isEmpty)
    #expect(try await store.kind(ofKey: "k") == .tpm)
    #expect(await store.availability() == .available)
    #expect(await store.attestationAvailability() == .unavailable("no certificate"))
  }

  @Test(arguments: [
    (PreferredKeyStore.Requirement.hardware, true), (.hardwareIfPresent, true), (.software, false),
  ])
  func `who verifies the person is the store that a key is made in`(
    requirement: PreferredKeyStore.Requirement, isHardware: Bool
  ) {
    hardware.verifiesPerson = true
    #expect(store(requirement).verifiesPerson == isHardware)
  }

  @Test func `without hardware they are made in software and say so`() async throws {
    hardware.unavailable = "There is no TPM."
    let store = store()
    _ = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
    #expect(await software.keys().map(\.tag) == ["k"])
    #expect(try await store.kind(ofKey: "k") == .memory)
    #expect(await store.availability() == .available)
    #expect(store.kind == .memory)
  }

  @Test func `hardware that is busy locked or forbidden is no reason for software`() async throws {
    hardware.busy = "Another process holds the lock."
    let store = store()
    #expect(await store.availability() == .unavailable("Another process holds the lock."))
    await #expect(throws: DeviceKeyError.unsupported("Another process holds the lock.")) {
      try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
    }
    #expect(await software.keys().isEmpty)
  }

  @Test func `a wait that a hostile chip names stops no program`() {
    for interval in [Double.infinity, -.infinity, .nan, 1e300, 1.8446744073709552e19] {
      #expect(DeviceKeyError.lockedOut(tag: "k", retryAfter: interval).errorDescription != nil)
    }
  }

  @Test func `what the hardware cannot protect is made in software`() async throws {
    let value = AuthorizationValue()
    #expect(store().supports(.biometricOnly))
    _ = try await store().createKey(tag: "k", protection: .biometricOnly, unlock: .authorization(value))
    #expect(try await store().kind(ofKey: "k") == .memory)
    _ = try await store().openKey(tag: "k", unlock: .authorization(value))
  }

  @Test func `required hardware that is not there is an error that says why`() async throws {
    let store = store(.hardware)
    #expect(store.kind == .tpm)
    #expect(!store.supports(.biometricOnly))
    await #expect(throws: DeviceKeyError.self) {
      try await store.createKey(
        tag: "k", protection: .biometricOnly, unlock: .authorization(AuthorizationValue()))
    }
    hardware.unavailable = "There is no TPM. Enable it."
    #expect(await store.availability() == .absent("There is no TPM. Enable it."))
    await #expect(throws: DeviceKeyError.unsupported("There is no TPM. Enable it.")) {
      try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
    }
    #expect(try await store.keys().isEmpty)
  }

  @Test func `hardware that fails is no reason for software`() async throws {
    hardware.failure = .busy("all sessions are in use")
    await #expect(throws: DeviceKeyError.busy("all sessions are in use")) {
      try await store().createKey(tag: "k", protection: .none, unlock: .nothing)
    }
    #expect(await software.keys().isEmpty)
  }

  @Test func `keys of both stores are found whatever is required`() async throws {
    _ = try await software.createKey(tag: "old", protection: .applicationPIN, unlock: .pin(PIN("4711")))
    _ = try await hardware.createKey(tag: "new", protection: .applicationPIN, unlock: .pin(PIN("4711")))
    let store = store(.hardware)
    #expect(try await Set(store.keys().map(\.tag)) == ["old", "new"])
    for tag in ["old", "new"] {
      try await store.changePIN(tag: tag, from: PIN("4711"), to: PIN("483716"))
      _ = try await store.openKey(tag: tag, unlock: .pin(PIN("483716")))
      await #expect(throws: DeviceKeyError.wrongPIN(tag: tag)) {
        try await store.openKey(tag: tag, unlock: .pin(PIN("4711")))
      }
    }
    await #expect(throws: DeviceKeyError.notFound(tag: "none")) {
      try await store.openKey(tag: "none", unlock: .nothing)
    }
    await #expect(throws: DeviceKeyError.notFound(tag: "none")) { try await store.kind(ofKey: "none") }
  }

  @Test func `a key in hardware that is gone is an error and is not replaced`() async throws {
    _ = try await store().createKey(tag: "k", protection: .none, unlock: .nothing)
    hardware.unavailable = "There is no TPM."
    hardware.failure = .unsupported("There is no TPM.")
    await #expect(throws: DeviceKeyError.unsupported("There is no TPM.")) {
      try await store().openKey(tag: "k", unlock: .nothing)
    }
    await #expect(throws: DeviceKeyError.exists(tag: "k")) {
      try await store().createKey(tag: "k", protection: .none, unlock: .nothing)
    }
    #expect(await software.keys().isEmpty)
  }

  @Test func `a tag is used in one store only`() async throws {
    _ = try await software.createKey(tag: "k", protection: .none, unlock: .nothing)
    await #expect(throws: DeviceKeyError.exists(tag: "k")) {
      try await store().createKey(tag: "k", protection: .none, unlock: .nothing)
    }
    #expect(try await hardware.keys().isEmpty)
  }

  @Test func `deleting removes the key from both`() async throws {
    _ = try await software.createKey(tag: "k", protection: .none, unlock: .nothing)
    _ = try await hardware.createKey(tag: "k", protection: .none, unlock: .nothing)
    try await store().deleteKey(tag: "k")
    try await store().deleteKey(tag: "k")
    #expect(try await store().keys().isEmpty)
  }
}

/// A chip whose presence the test decides on; its keys are in memory.
final class Chip: DeviceKeyStore {
  private let keyStore = MemoryKeyStore()
  private let state = Locked(
    (unavailable: String?.none, busy: String?.none, failure: DeviceKeyError?.none, verifiesPerson: false))

  var unavailable: String? {
    get { state.withLock { $0.unavailable } }
    set { state.withLock { $0.unavailable = newValue } }
  }
  /// Why the chip, which is there, cannot be used.
  var busy: String? {
    get { state.withLock { $0.busy } }
    set { state.withLock { $0.busy = newValue } }
  }
  /// What the chip answers instead of making or unlocking a key.
  var failure: DeviceKeyError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  var verifiesPerson: Bool {
    get { state.withLock { $0.verifiesPerson } }
    set { state.withLock { $0.verifiesPerson = newValue } }
  }
  var kind: KeyStoreKind { .tpm }
  func supports(_ protection: KeyProtection) -> Bool { protection == .none || protection == .applicationPIN }
  func availability() async -> KeyStoreAvailability {
    if let busy { return .unavailable(busy) }
    return unavailable.map { .absent($0) } ?? .available
  }
  func attestationAvailability() async -> KeyStoreAvailability { .unavailable("no certificate") }

  func createKey(
    tag: String, protection: KeyProtection, unlock: KeyUnlock
  ) async throws -> any DeviceKey {
    if let failure { throw failure }
    return try await keyStore.createKey(tag: tag, protection: protection, unlock: unlock)
  }

  func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    if let failure { throw failure }
    return try await keyStore.openKey(tag: tag, unlock: unlock)
  }

  func changePIN(tag: String, from currentPIN: PIN, to newPIN: PIN) async throws {
    try await keyStore.changePIN(tag: tag, from: currentPIN, to: newPIN)
  }

  func deleteKey(tag: String) async throws { await keyStore.deleteKey(tag: tag) }

  func keys() async throws -> [StoredKey] {
    await keyStore.keys().map {
      StoredKey(
        tag: $0.tag, protection: $0.protection, publicKey: $0.publicKey, createdAt: $0.createdAt, kind: kind)
    }
  }
}
