/// A store that makes new keys in hardware or in software, as the app's ``Requirement`` says.
///
/// A key stays where it was made. When the hardware that holds a key is gone, using the key is an error and no other key is made. A new key
/// is refused when either store has a key of the same tag.
public struct PreferredKeyStore: DeviceKeyStore {
  /// Where new keys are made.
  public enum Requirement: Sendable, Hashable {
    /// In hardware that can protect the key as asked; in software when there is none. Hardware that is present but cannot be used now is an
    /// error: a key in software would be weaker than the app asked for.
    case hardwareIfPresent
    /// In hardware. When that is not possible, an error says why.
    case hardware
    /// In software, even where there is hardware.
    case software
  }

  private let hardware: any DeviceKeyStore
  private let software: any DeviceKeyStore
  private let requirement: Requirement

  /// - Parameters:
  ///   - hardware: The preferred store for new keys.
  ///   - software: The other store for new keys. Its existing keys are found whatever the requirement is.
  public init(
    hardware: any DeviceKeyStore, software: any DeviceKeyStore, requirement: Requirement
  ) {
    self.hardware = hardware
    self.software = software
    self.requirement = requirement
  }

  /// The weakest kind that a new key may get: the hardware's when hardware is required, otherwise the software store's. ``kind(ofKey:)``
  /// returns the kind of an existing key.
  public var kind: KeyStoreKind {
    switch requirement {
    case .hardware: hardware.kind
    case .hardwareIfPresent, .software: software.kind
    }
  }

  public func supports(_ protection: KeyProtection) -> Bool {
    switch requirement {
    case .hardware: hardware.supports(protection)
    case .hardwareIfPresent: hardware.supports(protection) || software.supports(protection)
    case .software: software.supports(protection)
    }
  }

  /// The value of the store that biometric keys prefer. A software store that expects something else is not used for them.
  public var verifiesPerson: Bool {
    requirement == .software ? software.verifiesPerson : hardware.verifiesPerson
  }

  public func availability() async -> KeyStoreAvailability {
    if requirement == .software { return await software.availability() }
    let present = await hardware.availability()
    if case .absent = present, requirement == .hardwareIfPresent { return await software.availability() }
    return present
  }

  /// The value of the store that is preferred for new keys; keys in software cannot be attested.
  public func attestationAvailability() async -> KeyStoreAvailability {
    requirement == .software
      ? await software.attestationAvailability() : await hardware.attestationAvailability()
  }

  public func createKey(
    tag: String, protection: KeyProtection, unlock: KeyUnlock
  ) async throws -> any DeviceKey {
    let store = try await storeForNewKey(protection)
    if try await holder(of: tag) != nil { throw DeviceKeyError.exists(tag: tag) }
    return try await store.createKey(tag: tag, protection: protection, unlock: unlock)
  }

  public func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    do {
      return try await hardware.openKey(tag: tag, unlock: unlock)
    } catch DeviceKeyError.notFound {
      return try await software.openKey(tag: tag, unlock: unlock)
    }
  }

  public func changePIN(tag: String, from currentPIN: PIN, to newPIN: PIN) async throws {
    do {
      try await hardware.changePIN(tag: tag, from: currentPIN, to: newPIN)
    } catch DeviceKeyError.notFound {
      try await software.changePIN(tag: tag, from: currentPIN, to: newPIN)
    }
  }

  public func pinTries(tag: String) async throws -> PINTries? {
    try await holder(of: tag)?.pinTries(tag: tag)
  }

  public var makesKeysInTokens: Bool { hardware.makesKeysInTokens || software.makesKeysInTokens }

  public func token(ofKey tag: String?) async throws -> KeyToken? {
    guard let tag else {
      // Avoids a call to the chip.
      guard makesKeysInTokens else { return nil }
      return try await storeForNewKey(.applicationPIN).token(ofKey: nil)
    }
    return try await holder(of: tag)?.token(ofKey: tag)
  }

  public func kind(ofKey tag: String) async throws -> KeyStoreKind {
    guard let store = try await holder(of: tag) else { throw DeviceKeyError.notFound(tag: tag) }
    return try await store.kind(ofKey: tag)
  }

  /// Removes the key from both stores. When one fails, the other's key is still removed, and the failure is reported.
  public func deleteKey(tag: String) async throws {
    do {
      try await hardware.deleteKey(tag: tag)
    } catch {
      try? await software.deleteKey(tag: tag)
      throw error
    }
    try await software.deleteKey(tag: tag)
  }

  public func keys() async throws -> [StoredKey] {
    (try await hardware.keys() + software.keys()).oldestFirst
  }

  public func readableKeys() async throws -> (keys: [StoredKey], faults: [DeviceKeyError]) {
    let (first, second) = (try await hardware.readableKeys(), try await software.readableKeys())
    return ((first.keys + second.keys).oldestFirst, first.faults + second.faults)
  }

  private func storeForNewKey(_ protection: KeyProtection) async throws -> any DeviceKeyStore {
    if requirement == .software { return software }
    guard hardware.supports(protection) else {
      if requirement == .hardwareIfPresent { return software }
      throw DeviceKeyError.unsupported(
        "The key store '\(hardware.kind.rawValue)' cannot protect a key with \(protection.rawValue), and a key in"
          + " hardware is required. Choose another protection.")
    }
    switch (await hardware.availability(), requirement) {
    case (.available, _): return hardware
    case (.absent, .hardwareIfPresent): return software
    case (.absent(let reason), _), (.unavailable(let reason), _): throw DeviceKeyError.unsupported(reason)
    }
  }

  /// The store that has the key, `nil` when neither does.
  private func holder(of tag: String) async throws -> (any DeviceKeyStore)? {
    for store in [hardware, software] {
      do {
        _ = try await store.kind(ofKey: tag)
        return store
      } catch DeviceKeyError.notFound {
        continue
      }
    }
    return nil
  }
}

extension PreferredKeyStore: MACKeyStore {
  package func makeMACKey() async throws -> [UInt8]? {
    try await (storeForNewKey(.none) as? any MACKeyStore)?.makeMACKey()
  }

  package func authenticationCodes(of messages: [[UInt8]], by key: [UInt8]) async throws -> [[UInt8]] {
    guard let store = hardware as? any MACKeyStore else {
      throw DeviceKeyError.unsupported(
        "The key store '\(hardware.kind.rawValue)' cannot use secret keys, and this one was made in hardware that can."
      )
    }
    return try await store.authenticationCodes(of: messages, by: key)
  }
}
