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
  private let clock: @Sendable () -> Date

  /// The store in `directory`, which is created when the first key is. The chip is first asked then, too.
  ///
  /// - Parameters:
  ///   - tcti: The chip as tpm2-tss names it (`name:configuration`); without it `SEALRING_TCTI`, else
  ///     `device:/dev/tpmrm0`.
  ///   - environment: The environment variables.
  ///   - clock: The time that keys are stamped with.
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when `directory` is not a file URL.
  public init(
    directory: URL, tcti: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    try self.init(
      directory: directory, chip: Self.chip(tcti: tcti, environment: environment), clock: clock)
  }

  init(directory: URL, chip: TPMChip, clock: @escaping @Sendable () -> Date = { Date() }) throws {
    guard directory.isFileURL else {
      throw DeviceKeyError.unsupported("Keys are kept in a folder; \(directory) is none.")
    }
    folder = directory.standardizedFileURL
    self.chip = chip
    self.clock = clock
  }

  /// Whether a TPM answers that can make device keys; the same defaults as for a store.
  public static func isAvailable(
    tcti: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
  ) async -> Bool {
    let probe: Void? = try? await chip(tcti: tcti, environment: environment).run { connection in
      _ = try connection.storageKey()
    }
    return probe != nil
  }

  private static func chip(tcti: String?, environment: [String: String]) -> TPMChip {
    let fromEnvironment = environment[environmentVariable].flatMap { $0.isEmpty ? nil : $0 }
    return TPMChip(
      tcti: tcti ?? fromEnvironment ?? standardTCTI,
      lockFolder: TPMChip.standardLockFolder(environment: environment))
  }

  /// A chip can wait for a PIN; it cannot watch for a fingerprint. Whether there is a chip is another question:
  /// ``isAvailable(tcti:environment:)``.
  public nonisolated func supports(_ protection: KeyProtection) -> Bool {
    protection == .none || protection == .applicationPIN
  }

  public func createKey(
    tag: String, protection: KeyProtection, unlock: KeyUnlock
  ) async throws -> any DeviceKey {
    try KeyTag.check(tag)
    let authorization = try protection.checked(unlock).pin.map { KeyAuthorization($0) }
    let url = TPMKeyFile.files.url(for: tag, in: folder)
    try reportingFiles {
      try ProtectedFiles.createFolder(folder)
      LeftoverFiles.remove(TPMKeyFile.files, in: folder)
      // Spares the chip; what decides is the creation of the file.
      if try ProtectedFiles.read(url, limit: TPMKeyFile.maximumBytes) != nil {
        throw DeviceKeyError.exists(tag: tag)
      }
    }
    let createdAt = clock()
    let file = try await chip.run { connection in
      let parent = try connection.storageKey()
      let session = try connection.session(for: authorization, saltedWith: parent)
      let (publicArea, privateBlob) = try connection.create(
        Template.deviceKey(hasPIN: authorization != nil), under: parent, authorization: authorization,
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
    return TPMKey(file: file, path: url.path, authorization: authorization, chip: chip)
  }

  public func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    let key = try unlockedKey(tag: tag, unlock: unlock)
    try await key.verify()
    return key
  }

  public func deleteKey(tag: String) throws {
    // The chip keeps nothing of it: without the file it is gone.
    try reportingFiles { try ProtectedFiles.remove(TPMKeyFile.files.url(for: tag, in: folder)) }
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
    let authorization = try file.key.protection.checked(unlock).pin.map { KeyAuthorization($0) }
    return TPMKey(file: file, path: url.path, authorization: authorization, chip: chip)
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
