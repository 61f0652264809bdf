internal import CTSS2
public import DeviceKeys
public import Foundation
internal import JOSE
internal import PrivateFiles

/// Keeps keys in a TPM 2.0: they are made in the chip and never leave it.
///
/// The store keeps a file of mode 0600 for each key, in a folder of mode 0700, which may be the software store's. The file has what the
/// chip encrypted for itself, worth nothing without the chip. A key is unlocked by its authorisation value, which the chip checks and which
/// travels to it encrypted. Wrong PINs are counted twice: by the chip, which refuses all PINs for a while after too many, and beside the
/// key file, which disables the key in the end. See docs/tpm.md.
///
/// Several processes and stores may use one chip. A key is durable when a call returns. Other errors of the chip are
/// ``DeviceKeyError/unsupported(_:)`` with the chip's words; so is a chip that is not there. Keys are ``AttestableDeviceKey``.
public actor TPMKeyStore: DeviceKeyStore {
  /// The address of a machine's TPM behind the kernel's resource manager.
  public static let standardTCTI = "device:/dev/tpmrm0"
  /// The environment variable that names another chip.
  public static let environmentVariable = "SEALRING_TCTI"
  /// The file in the store's folder that has the attestation key's certificates, unless another one is named.
  public static let attestationFileName = "attestation.pem"

  public nonisolated let kind = KeyStoreKind.tpm
  nonisolated let files: KeyFolder
  nonisolated let chip: TPMChip
  nonisolated let attestationCertificates: AttestationCertificates
  private let attemptPolicy: PINAttemptPolicy
  private let clock: @Sendable () -> Date

  /// The store in `directory`, which is created with the first key. The chip is not used before.
  ///
  /// - Parameters:
  ///   - tcti: The chip as tpm2-tss names it: `device`, `tabrmd`, `swtpm` or `mssim` with its configuration; without it
  ///     `SEALRING_TCTI`, else `device:/dev/tpmrm0`.
  ///   - attestationCertificates: The PEM file with the attestation key's certificates; `attestation.pem` in
  ///     `directory` by default.
  ///   - environment: The environment variables.
  ///   - pinAttempts: The policy for wrong PINs, besides the chip's own. Every program that uses the folder has to be given the same one.
  ///   - clock: The time for creation dates and for the delays after wrong PINs.
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when `directory` is not a file URL, or `tcti` does not name a chip: tpm2-tss's other
  ///   kinds run programs and open libraries.
  public init(
    directory: URL, tcti: String? = nil, attestationCertificates: URL? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    pinAttempts: PINAttemptPolicy = .standard, clock: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    let fromEnvironment = environment[Self.environmentVariable].flatMap { $0.isEmpty ? nil : $0 }
    let chip = TPMChip(
      try ChipAddress(tcti ?? fromEnvironment ?? Self.standardTCTI),
      lockFolder: TPMChip.standardLockFolder(environment: environment))
    try self.init(
      directory: directory, chip: chip, attestationCertificates: attestationCertificates,
      pinAttempts: pinAttempts, clock: clock)
  }

  init(
    directory: URL, chip: TPMChip, attestationCertificates: URL? = nil,
    pinAttempts: PINAttemptPolicy = .standard, clock: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    guard directory.isFileURL, attestationCertificates?.isFileURL != false else {
      throw DeviceKeyError.unsupported("Keys are kept in files, and \(directory) is not a file URL.")
    }
    files = KeyFolder(directory.standardizedFileURL, suffix: "tpmkey", limit: TPMKeyFile.maximumBytes)
    self.chip = chip
    self.attestationCertificates = AttestationCertificates(
      file: attestationCertificates ?? files.url.appendingPathComponent(Self.attestationFileName))
    attemptPolicy = pinAttempts
    self.clock = clock
  }

  /// Always `true`. A chip cannot verify a fingerprint: biometric keys are unlocked by the value that a verifier released.
  /// ``availability()`` says whether there is a chip.
  public nonisolated func supports(_ protection: KeyProtection) -> Bool { true }

  /// Whether a TPM that can make device keys answers.
  ///
  /// ``KeyStoreAvailability/absent(_:)`` only where there is no chip: one that is busy, locked, broken or forbidden to this user, or is not
  /// the one that the folder's first key was made in, is ``KeyStoreAvailability/unavailable(_:)``. A chip that refuses PINs after too many
  /// wrong ones is available: keys can be made, and those without a PIN can be used.
  public func availability() async -> KeyStoreAvailability {
    let pin = StorageKeyPin(folder: files.url)
    return await chip.availability { connection in try pin.check(connection.storageKey().publicArea.name) }
  }

  /// The readable keys that the chip does not know, oldest first: they were made in another one, or before this one was cleared.
  package func lostKeys() async throws -> [StoredKey] {
    let contents = try await readableFiles().contents
    guard !contents.isEmpty else { return [] }
    let name = try await chip.run { try $0.storageKey().publicArea.name }
    return contents.filter { $0.blobs.parentName != name }.map(\.key).oldestFirst
  }

  public func createKey(
    tag: String, protection: KeyProtection, unlock: KeyUnlock
  ) async throws -> any DeviceKey {
    try KeyTag.check(tag)
    let authorization = KeyAuthorization(try protection.checked(unlock))
    try reportingFiles { try files.create() }
    // Avoids work of the chip; the creation of the file decides.
    if try files.hasFile(of: tag) { throw DeviceKeyError.exists(tag: tag) }
    try await files.removeOrphanedCounts()
    let createdAt = clock()
    let pin = StorageKeyPin(folder: files.url)
    let file = try await chip.run { connection in
      let parent = try connection.storageKey()
      // Checked before anything is encrypted to the storage key.
      try pin.require(parent.publicArea.name)
      let session = try connection.session(for: authorization, saltedWith: parent)
      let blobs = try connection.create(
        Template.deviceKey(hasPIN: protection == .applicationPIN), under: parent,
        authorization: authorization, session: session)
      do throws(JSONRecord.Damage) {
        return try TPMKeyFile(tag: tag, protection: protection, createdAt: createdAt, blobs: blobs)
      } catch {
        throw DeviceKeyError.unsupported("The TPM made another key than it was asked for: \(error.reason).")
      }
    }
    try Task.checkCancellation()
    try files.add(file.serialized, for: tag)
    return key(file, authorization)
  }

  /// Unlocks the key `tag`. The ``AuthorizationValue`` of another key throws ``DeviceKeyError/unreadable(path:reason:)``: it means that
  /// files were mixed up, not that somebody guessed.
  public func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    let key = try unlockedKey(tag: tag, unlock: unlock)
    guard unlock.pin != nil else {
      try await key.verify()
      return key
    }
    return try await attempts(tag).evaluate(tag: tag) {
      try await key.verify()
      return key
    }
  }

  /// Makes `newPIN` the PIN of the key `tag`. Earlier copies of the key file keep the old one; protect the
  /// folder from being copied.
  public func changePIN(tag: String, from currentPIN: PIN, to newPIN: PIN) async throws {
    let key = try unlockedKey(tag: tag, unlock: .pin(currentPIN))
    _ = try key.file.key.protection.checked(.pin(newPIN))
    let changed = try await attempts(tag).evaluate(tag: tag) {
      try await key.changingAuthorization(to: KeyAuthorization(newPIN))
    }
    try await files.replace(key.file.serialized, with: changed.serialized, for: tag)
  }

  public func kind(ofKey tag: String) async throws -> KeyStoreKind {
    guard try files.hasFile(of: tag) else { throw DeviceKeyError.notFound(tag: tag) }
    return kind
  }

  /// Removes the key `tag`. The chip keeps nothing of it: without the file it is gone.
  public func deleteKey(tag: String) async throws { try await files.remove(tag) }

  public func keys() throws -> [StoredKey] {
    // A key that was deleted since the names were read is not a fault.
    try reportingFiles {
      try files.files.compactMap { try files.content(of: $0, TPMKeyFile.init(parsing:))?.key }
    }
    .oldestFirst
  }

  public func readableKeys() async throws -> (keys: [StoredKey], faults: [DeviceKeyError]) {
    let (contents, faults) = try await readableFiles()
    return (contents.map(\.key).oldestFirst, faults)
  }

  private func readableFiles() async throws -> (contents: [TPMKeyFile], faults: [DeviceKeyError]) {
    try await files.readable { file in
      try reportingFiles { try files.content(of: file, TPMKeyFile.init(parsing:)) }
    }
  }

  /// The key `tag` with the authorisation of `unlock`, which is not checked yet.
  private func unlockedKey(tag: String, unlock: KeyUnlock) throws -> TPMKey {
    guard let file = try keyFile(of: tag) else { throw DeviceKeyError.notFound(tag: tag) }
    return key(file, KeyAuthorization(try file.key.protection.checked(unlock)))
  }

  private func key(_ file: TPMKeyFile, _ authorization: KeyAuthorization?) -> TPMKey {
    TPMKey(
      file: file, path: files.file(of: file.key.tag).path, authorization: authorization, chip: chip,
      attestationCertificates: attestationCertificates)
  }

  /// The smaller of the key's count and the chip's; the key's alone when the chip does not answer.
  public func pinTries(tag: String) async throws -> PINTries? {
    guard try keyFile(of: tag)?.key.protection == .applicationPIN else { return nil }
    return try await attempts(tag).tries().limited(byChip: try? chipTries())
  }

  /// How many wrong PINs the chip still accepts, whichever key they are for; `nil` when it does not say. No PIN is tried.
  package func chipTries() async throws -> PINTries? {
    try await chip.run { try $0.lockout()?.tries }
  }

  private func attempts(_ tag: String) -> PINAttempts {
    PINAttempts(file: files.attemptsFile(of: tag), policy: attemptPolicy, clock: clock)
  }

  /// The file of the key `tag`, `nil` when there is none.
  private func keyFile(of tag: String) throws -> TPMKeyFile? {
    try reportingFiles { try files.content(ofKey: tag, named: \.key.tag, TPMKeyFile.init(parsing:)) }
  }
}
