internal import CTSS2
public import DeviceKeys
public import Foundation
internal import JOSE
internal import PingStorage

/// Keeps keys in a TPM 2.0: they are made in the chip and never leave it.
///
/// Beside the chip there is a file of mode 0600 for each key, in a folder of mode 0700, which may be the software store's:
/// what the chip encrypted for itself, worth nothing without it. For ``KeyProtection/applicationPIN`` the PIN is the key's
/// authorisation value: the chip checks it, counts wrong ones, and refuses all for a while when there were too many
/// (``DeviceKeyError/lockedOut(tag:retryAfter:)``). PINs travel to the chip encrypted.
///
/// Several processes and stores may use one chip. A key is durable when a call returns. Errors of the chip that have no
/// meaning of their own are ``DeviceKeyError/unsupported(_:)`` with the chip's words; so is a chip that does not answer.
public actor TPMKeyStore: DeviceKeyStore {
  /// Where a machine's TPM is, behind the kernel's resource manager.
  public static let standardTCTI = "device:/dev/tpmrm0"
  /// The environment variable that names another chip.
  public static let environmentVariable = "SEALRING_TCTI"

  public nonisolated let kind = KeyStoreKind.tpm
  nonisolated let folder: URL
  nonisolated let chip: TPMChip
  nonisolated let certificates: AttestationCertificates
  private let pinAttempts: PINAttemptPolicy
  private let clock: @Sendable () -> Date

  /// The store in `directory`, which is created when the first key is. The chip is first asked then, too.
  ///
  /// - Parameters:
  ///   - tcti: The chip as tpm2-tss names it (`name:configuration`); without it `SEALRING_TCTI`, else
  ///     `device:/dev/tpmrm0`.
  ///   - attestationCertificates: A PEM file with the certificate of the chip's attestation key and the ones above it;
  ///     without it, `attestation.pem` in `directory`.
  ///   - pinAttempts: What wrong PINs lead to, in addition to the chip's own counter.
  ///   - environment: The environment variables.
  ///   - clock: The time that keys are stamped with.
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when `directory` is not a file URL.
  public init(
    directory: URL, tcti: String? = nil, attestationCertificates: URL? = nil,
    pinAttempts: PINAttemptPolicy = .standard,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    try self.init(
      directory: directory, chip: Self.chip(tcti: tcti, environment: environment),
      attestationCertificates: attestationCertificates, pinAttempts: pinAttempts, clock: clock)
  }

  init(
    directory: URL, chip: TPMChip, attestationCertificates: URL? = nil,
    pinAttempts: PINAttemptPolicy = .standard, clock: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    guard directory.isFileURL else {
      throw DeviceKeyError.unsupported("Keys are kept in a folder; \(directory) is none.")
    }
    folder = directory.standardizedFileURL
    certificates = AttestationCertificates(
      file: attestationCertificates ?? folder.appendingPathComponent(AttestationCertificates.fileName))
    self.chip = chip
    self.pinAttempts = pinAttempts
    self.clock = clock
  }

  /// Whether a TPM answers that can make device keys, and why not.
  public func availability() async -> KeyStoreAvailability {
    do {
      try await chip.run { connection in _ = try connection.storageKey() }
      return .available
    } catch {
      return .unavailable(error.localizedDescription)
    }
  }

  private static func chip(tcti: String?, environment: [String: String]) -> TPMChip {
    let fromEnvironment = environment[environmentVariable].flatMap { $0.isEmpty ? nil : $0 }
    return TPMChip(
      tcti: tcti ?? fromEnvironment ?? standardTCTI,
      lockFolder: TPMChip.standardLockFolder(environment: environment))
  }

  /// All of them: the chip checks a PIN or an authorisation value. It cannot watch for a fingerprint itself.
  public nonisolated func supports(_ protection: KeyProtection) -> Bool { true }

  public func createKey(
    tag: String, protection: KeyProtection, unlock: KeyUnlock
  ) async throws -> any DeviceKey {
    try KeyTag.check(tag)
    let authorization = KeyAuthorization(try protection.checked(unlock))
    let url = TPMKeyFile.files.url(for: tag, in: folder)
    try reportingFiles {
      try ProtectedFiles.createFolder(folder)
      LeftoverFiles.remove(TPMKeyFile.files, in: folder)
      // Spares the chip; what decides is the creation of the file.
      if try ProtectedFiles.read(url, limit: TPMKeyFile.maximumBytes) != nil {
        throw DeviceKeyError.exists(tag: tag)
      }
    }
    try await PINAttempts.removeLeftovers(of: TPMKeyFile.files, in: folder)
    let createdAt = clock()
    let file = try await chip.run { connection in
      let parent = try connection.storageKey()
      let session = try connection.session(for: authorization, saltedWith: parent)
      let (publicArea, privateBlob) = try connection.create(
        Template.deviceKey(hasPIN: protection == .applicationPIN), under: parent,
        authorization: authorization,
        session: session)
      do throws(TPMKeyFile.Damage) {
        return try TPMKeyFile(
          tag: tag, protection: protection, createdAt: createdAt, publicBlob: publicArea.sized,
          privateBlob: privateBlob, parentName: parent.publicArea.name)
      } catch {
        throw DeviceKeyError.unsupported("The TPM made another key than it was asked for: \(error.reason).")
      }
    }
    try Task.checkCancellation()
    do {
      try reportingFiles { try ProtectedFiles.create(url, with: file.serialized) }
    } catch FileStorageError.exists {
      throw DeviceKeyError.exists(tag: tag)
    }
    return key(file, at: url, authorization)
  }

  public func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    let key = try unlockedKey(tag: tag, unlock: unlock)
    try await evaluating(key) { try await key.verify() }
    return key
  }

  public func changePIN(tag: String, from currentPIN: PIN, to newPIN: PIN) async throws {
    let url = TPMKeyFile.files.url(for: tag, in: folder)
    let key = try unlockedKey(tag: tag, unlock: .pin(currentPIN))
    _ = try key.file.key.protection.checked(.pin(newPIN))
    let blob = try await evaluating(key) {
      try await key.privateBlob(unlockedBy: KeyAuthorization(newPIN))
    }
    let changed: TPMKeyFile
    do throws(TPMKeyFile.Damage) {
      changed = try key.file.with(privateBlob: blob)
    } catch {
      throw DeviceKeyError.unsupported("The TPM changed the key and not its PIN only: \(error.reason).")
    }
    let (before, after) = (key.file.serialized, changed.serialized)
    try await KeyFolderLock.withLock(in: folder) {
      // The chip took a while: a key that was deleted meanwhile does not come back, and another PIN is not undone.
      guard let now = try ProtectedFiles.read(url, limit: TPMKeyFile.maximumBytes) else {
        throw DeviceKeyError.notFound(tag: tag)
      }
      guard now == before else {
        throw DeviceKeyError.unwritable(path: url.path, reason: "another program changed it meanwhile")
      }
      try ProtectedFiles.replace(url, with: after)
    }
  }

  /// Removes the file: the chip keeps nothing of a key, and without the file it is gone.
  public func deleteKey(tag: String) async throws {
    let url = TPMKeyFile.files.url(for: tag, in: folder)
    // No folder, no key; and nothing to create a lock in.
    guard try reportingFiles({ try ProtectedFiles.folderExists(folder) }) else { return }
    try await KeyFolderLock.withLock(in: folder) {
      try ProtectedFiles.remove(url)
      try ProtectedFiles.remove(PINAttempts.file(besideKey: url))
    }
  }

  public func kind(ofKey tag: String) async throws -> KeyStoreKind {
    let url = TPMKeyFile.files.url(for: tag, in: folder)
    guard try reportingFiles({ try ProtectedFiles.read(url, limit: TPMKeyFile.maximumBytes) }) != nil else {
      throw DeviceKeyError.notFound(tag: tag)
    }
    return kind
  }

  /// Runs `body`, which tries the key's PIN if it has one, and counts it as wrong until it turns out right.
  private func evaluating<Result: Sendable>(
    _ key: TPMKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    guard key.file.key.protection == .applicationPIN else { return try await body() }
    let file = PINAttempts.file(besideKey: TPMKeyFile.files.url(for: key.tag, in: folder))
    return try await PINAttempts(file: file, policy: pinAttempts, clock: clock).evaluate(tag: key.tag, body)
  }

  private func key(_ file: TPMKeyFile, at url: URL, _ authorization: KeyAuthorization?) -> TPMKey {
    TPMKey(
      file: file, path: url.path, authorization: authorization, chip: chip, certificates: certificates)
  }

  public func keys() throws -> [StoredKey] {
    try reportingFiles {
      try ProtectedFiles.names(in: folder).filter(TPMKeyFile.files.isKey).compactMap { name in
        // One that was deleted since the names were read is no fault.
        try read(folder.appendingPathComponent(name))?.key
      }
    }
    .sorted { ($0.createdAt, $0.tag) < ($1.createdAt, $1.tag) }
  }

  /// The key `tag` with what `unlock` brings, not yet checked.
  func unlockedKey(tag: String, unlock: KeyUnlock) throws -> TPMKey {
    let url = TPMKeyFile.files.url(for: tag, in: folder)
    guard let file = try reportingFiles({ try read(url) }) else {
      throw DeviceKeyError.notFound(tag: tag)
    }
    guard file.key.tag == tag else {
      throw DeviceKeyError.unreadable(path: url.path, reason: "it is the file of another key")
    }
    return key(file, at: url, KeyAuthorization(try file.key.protection.checked(unlock)))
  }

  /// What is in a key file, `nil` when there is no such file.
  private func read(_ url: URL) throws -> TPMKeyFile? {
    guard let bytes = try ProtectedFiles.read(url, limit: TPMKeyFile.maximumBytes) else { return nil }
    do {
      return try TPMKeyFile(parsing: bytes)
    } catch {
      throw DeviceKeyError.unreadable(path: url.path, reason: error.reason)
    }
  }
}
