#if canImport(Security) && canImport(LocalAuthentication)
  internal import CryptoKit
  public import DeviceKeys
  public import Foundation
  internal import LocalAuthentication
  internal import PrivateFiles
  internal import Security
  internal import UserVerification

  /// Keeps keys in the Secure Enclave of an Apple device: they are made there and never leave it.
  ///
  /// The system verifies the person when a biometric key signs (``verifiesPerson``), and shows its own prompt then. A refusal is a
  /// `UserVerificationError`. docs/apple.md says what each protection needs on the device.
  ///
  /// Keys are bound to this device and are in no backup. They stay when the app is deleted; delete them by ``deleteKey(tag:)``.
  /// Beside each key is a record in the keychain that describes it, and for PIN keys a file that counts wrong PINs.
  public actor AppleKeyStore: DeviceKeyStore {
    public nonisolated let kind: KeyStoreKind
    public nonisolated let verifiesPerson = true

    private let allowsSoftwareKeys: Bool
    private let items: KeychainItems
    /// A folder without keys, only with the counts of wrong PINs.
    private let counts: KeyFolder
    private let attemptPolicy: PINAttemptPolicy
    private let clock: @Sendable () -> Date

    /// The keys of this app.
    ///
    /// - Parameters:
    ///   - accessGroup: The keychain access group of several apps that share the keys, as the entitlement names it; `nil` is
    ///     the app's own.
    ///   - allowingSoftwareKeys: Whether keys may be made in the keychain, outside a Secure Enclave, on devices that have
    ///     none. Otherwise the store is unavailable there.
    ///   - attemptsDirectory: Where wrong PINs are counted; the folder `keys` of the client's home by default. Apps that share
    ///     keys name a folder of their app group.
    ///   - pinAttempts: The policy for wrong PINs.
    ///   - clock: The time for creation dates and for the delays after wrong PINs.
    public init(
      accessGroup: String? = nil, allowingSoftwareKeys: Bool = false, attemptsDirectory: URL? = nil,
      pinAttempts: PINAttemptPolicy = .standard, clock: @escaping @Sendable () -> Date = { Date() }
    ) {
      kind = Self.hasEnclave ? .secureEnclave : .keychain
      allowsSoftwareKeys = allowingSoftwareKeys || Self.isSimulator
      items = KeychainItems(accessGroup: accessGroup)
      counts = KeyFolder(
        attemptsDirectory ?? ClientHome.standard.directory.appendingPathComponent("keys", isDirectory: true),
        suffix: "apple", limit: 0)
      attemptPolicy = pinAttempts
      self.clock = clock
    }

    /// `true` for all protections; on the simulator, which cannot verify anybody, for ``KeyProtection/none`` only.
    public nonisolated func supports(_ protection: KeyProtection) -> Bool {
      !Self.isSimulator || protection == .none
    }

    public func availability() async -> KeyStoreAvailability {
      if kind == .secureEnclave || allowsSoftwareKeys { return .available }
      return .absent(Self.noEnclave)
    }

    /// Never available: a Secure Enclave cannot prove to others that a key is in it.
    public func attestationAvailability() async -> KeyStoreAvailability {
      .unavailable(
        "Apple devices cannot attest a key of an app's own: App Attest makes a key itself, and proves which app it is, not"
          + " where this key lives. Switch attestation off in the device binding node, or use app integrity nodes."
      )
    }

    public func createKey(
      tag: String, protection: KeyProtection, unlock: KeyUnlock
    ) async throws -> any DeviceKey {
      try KeyTag.check(tag)
      try protection.checkedBySystem(unlock)
      if let reason = await availability().problem { throw DeviceKeyError.unsupported(reason) }
      guard supports(protection) else {
        throw DeviceKeyError.unsupported(
          "Keys with protection \(protection.rawValue) cannot be made on a simulator.")
      }
      let rule = try AccessRule(protection, on: .current)
      do throws(AppleFailure) {
        guard try items.record(tag: tag) == nil, try items.key(tag: tag, context: nil) == nil else {
          throw .duplicateItem
        }
      } catch {
        throw Self.creationError(error, tag: tag)
      }
      try Task.checkCancellation()
      let inEnclave = kind == .secureEnclave
      let key = try Self.made(
        tag: tag, in: items, inEnclave: inEnclave, access: try rule.accessControl(isEnclaveKey: inEnclave),
        context: Self.context(for: unlock))
      do {
        let enrolment = rule.endsWithEnrolment ? try DeviceEnrolment.current() : nil
        let record = KeyRecord(
          protection: protection, kind: kind, publicKey: Data(key.point), createdAt: clock(),
          enrolment: enrolment)
        try items.addRecord(try JSONEncoder().encode(record), tag: tag)
      } catch {
        // Deletes the key itself and not by its tag: another process may have made one with the same tag meanwhile.
        try? items.deleteKey(key.secKey)
        throw (error as? AppleFailure).map { Self.creationError($0, tag: tag) } ?? error
      }
      return key
    }

    /// Opens the key `tag`. A biometric key asks the person only at its first signature. A PIN is tried at once, by a signature that is
    /// thrown away.
    ///
    /// A key without our record, such as one that another SDK made under this tag, is opened with `unlock` as it is.
    public func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
      let record = try record(tag: tag)
      try record?.protection.checkedBySystem(unlock)
      if let enrolment = record?.enrolment, DeviceEnrolment.hasChanged(since: enrolment) {
        try await deleteKey(tag: tag)
        throw DeviceKeyError.lost(
          tag: tag, reason: "the faces or fingers that are enrolled have changed since the key was made")
      }
      let context = Self.context(for: unlock)
      let found: SecKey?
      do throws(AppleFailure) {
        found = try items.key(tag: tag, context: context)
      } catch {
        throw error.error(usingKey: tag)
      }
      guard let found else {
        if record == nil { throw DeviceKeyError.notFound(tag: tag) }
        throw DeviceKeyError.lost(tag: tag, reason: AppleFailure.whyLost)
      }
      let key = try KeychainKey(tag: tag, privateKey: found, context: context)
      if unlock.pin != nil { try await tryPIN(of: key) }
      return key
    }

    /// Never succeeds: a Secure Enclave fixes what unlocks a key when the key is made.
    public func changePIN(tag: String, from currentPIN: PIN, to newPIN: PIN) async throws {
      throw DeviceKeyError.unsupported(
        "What unlocks a key of the keychain cannot be changed after it is made. Bind the device again to get a new PIN."
      )
    }

    public func kind(ofKey tag: String) throws -> KeyStoreKind {
      guard let record = try record(tag: tag) else { throw DeviceKeyError.notFound(tag: tag) }
      return record.kind
    }

    public func deleteKey(tag: String) async throws {
      do throws(AppleFailure) {
        try items.deleteKey(tag: tag)
        try items.deleteRecord(tag: tag)
      } catch {
        throw error.error(doing: "The key '\(tag)' could not be deleted")
      }
      try await counts.remove(tag)
    }

    /// The keys that this store made.
    public func keys() throws -> [StoredKey] {
      do {
        return try items.tags().compactMap { tag in
          // A key that was deleted since the tags were read is not a fault.
          try record(tag: tag)?.described(tag: tag)
        }
        .oldestFirst
      } catch let failure as AppleFailure {
        throw failure.error(doing: "The keys could not be listed")
      }
    }

    // MARK: Parts

    static let noEnclave =
      "This device has no Secure Enclave. Allow software keys (allowingSoftwareKeys), or use another device."

    static var hasEnclave: Bool { !isSimulator && SecureEnclave.isAvailable }

    private static var isSimulator: Bool {
      #if targetEnvironment(simulator)
        true
      #else
        false
      #endif
    }

    /// Makes a key that no record describes yet.
    static func made(
      tag: String, in items: KeychainItems, inEnclave: Bool, access: SecAccessControl, context: LAContext?
    ) throws -> KeychainKey {
      do {
        let key = try items.createKey(tag: tag, inEnclave: inEnclave, access: access, context: context)
        return try KeychainKey(tag: tag, privateKey: key, context: context)
      } catch let failure as AppleFailure {
        throw creationError(failure, tag: tag)
      }
    }

    /// Tries the PIN that the key's context has, and counts it.
    private func tryPIN(of key: KeychainKey) async throws {
      try await attempts(key.tag).evaluate(tag: key.tag) {
        do throws(AppleFailure) {
          _ = try await key.sign(Array("Sealring tries a PIN".utf8))
        } catch {
          throw error.mayBeWrongPIN ? DeviceKeyError.wrongPIN(tag: key.tag) : error.error(usingKey: key.tag)
        }
      }
    }

    public func pinTries(tag: String) async throws -> PINTries? {
      guard try record(tag: tag)?.protection == .applicationPIN else { return nil }
      return try await attempts(tag).tries()
    }

    private func record(tag: String) throws -> KeyRecord? {
      let value: Data?
      do throws(AppleFailure) {
        value = try items.record(tag: tag)
      } catch {
        throw error.error(doing: "The record of the key '\(tag)' could not be read")
      }
      return try value.map { try KeyRecord($0, tag: tag) }
    }

    private func attempts(_ tag: String) throws -> PINAttempts {
      try reportingFiles { try counts.create() }
      return PINAttempts(file: counts.attemptsFile(of: tag), policy: attemptPolicy, clock: clock)
    }

    /// The context that unlocks a key. Each key has its own, so that one verification serves one opened key.
    static func context(for unlock: KeyUnlock) -> LAContext? {
      let context = LAContext()
      switch unlock {
      case .nothing, .authorization:
        return nil
      case .pin(let pin):
        context.setCredential(Data(pin.bytes), type: .applicationPassword)
      case .systemPrompt(let reason):
        context.localizedReason = reason
      }
      return context
    }

    static func creationError(_ failure: AppleFailure, tag: String) -> any Error {
      failure == .duplicateItem
        ? DeviceKeyError.exists(tag: tag) : failure.error(doing: "The key '\(tag)' could not be made")
    }
  }
#endif
