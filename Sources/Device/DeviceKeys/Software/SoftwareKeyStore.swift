public import Bytes
internal import Crypto
public import Foundation
internal import JOSE
public import PrivateFiles

/// Keeps keys in encrypted files, for devices without a security chip.
///
/// Each key is a file of mode 0600 in a folder of mode 0700, encrypted with AES-256-GCM under a key derived from a secret
/// of this folder and, for ``KeyProtection/applicationPIN``, from the PIN: there is no way past the PIN, because it is what
/// decrypts. Biometric keys are encrypted under their ``AuthorizationValue`` in the same way. Who copies the whole folder can try PINs at the speed of scrypt; a security chip is what prevents that.
///
/// Several processes may use one folder. A key is durable when a call returns, and a crash leaves all of it or nothing.
/// A damaged file is reported by its path, and is neither changed nor does it keep other keys from working.
public actor SoftwareKeyStore: DeviceKeyStore {
  public nonisolated let kind = KeyStoreKind.software
  private let folder: URL
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private let clock: @Sendable () -> Date
  private let cost: ScryptCost
  private let attemptPolicy: PINAttemptPolicy

  /// The store in `directory`, which is created when the first key is.
  ///
  /// - Parameters:
  ///   - randomBytes: Source of the device secret, salts and nonces. Private keys come from the cryptography library.
  ///   - scrypt: The cost for new keys; existing ones keep theirs.
  ///   - pinAttempts: What wrong PINs lead to. It is the same for all who use the folder, if each is told so.
  ///   - clock: The time that keys are stamped with, and by which wrong PINs delay the next try.
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when `directory` is not a file URL.
  public init(
    directory: URL, randomBytes: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes,
    scrypt: ScryptCost = .standard, pinAttempts: PINAttemptPolicy = .standard,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    guard directory.isFileURL else {
      throw DeviceKeyError.unsupported("Keys are kept in a folder; \(directory) is none.")
    }
    folder = directory.standardizedFileURL
    self.randomBytes = randomBytes
    self.clock = clock
    cost = scrypt
    attemptPolicy = pinAttempts
  }

  /// The store in the folder `keys` of `home`: where a device's keys are unless it says otherwise.
  public init(home: ClientHome = .standard) throws {
    try self.init(directory: home.directory.appendingPathComponent("keys", isDirectory: true))
  }

  /// All of them. Files cannot watch for a fingerprint: biometric keys are unlocked by the value that somebody released
  /// who did.
  public nonisolated func supports(_ protection: KeyProtection) -> Bool { true }

  public func createKey(
    tag: String, protection: KeyProtection, unlock: KeyUnlock
  ) async throws -> any DeviceKey {
    try KeyTag.check(tag)
    let unlock = try protection.checked(unlock)
    let privateKey = P256.Signing.PrivateKey()
    let key = try UnlockedKey(tag: tag, privateKey: privateKey)
    let secret = try reportingFiles {
      try ProtectedFiles.createFolder(folder)
      LeftoverFiles.remove(.software, in: folder)
      return try secretForNewKey()
    }
    try await PINAttempts.removeLeftovers(of: .software, in: folder)
    let description = StoredKey(
      tag: tag, protection: protection, publicKey: key.publicKey, createdAt: clock(), kind: kind)
    let bytes = try await sealed(privateKey, as: description, secret: secret, unlock: unlock)
    do {
      try reportingFiles {
        try ProtectedFiles.create(KeyFile.software.url(for: tag, in: folder), with: bytes)
      }
    } catch FileStorageError.exists {
      throw DeviceKeyError.exists(tag: tag)
    }
    return key
  }

  /// Unlocks the key `tag`. An ``AuthorizationValue`` of another key is ``DeviceKeyError/unreadable(path:reason:)``: it
  /// is not a guess that somebody made, but a mix-up of files.
  public func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    guard let (_, envelope) = try storedKey(tag) else { throw DeviceKeyError.notFound(tag: tag) }
    return try UnlockedKey(tag: tag, privateKey: try await privateKey(in: envelope, unlock: unlock))
  }

  public func changePIN(tag: String, from currentPIN: PIN, to newPIN: PIN) async throws {
    guard let (bytes, envelope) = try storedKey(tag) else { throw DeviceKeyError.notFound(tag: tag) }
    let unlock = try envelope.key.protection.checked(.pin(newPIN))
    let privateKey = try await privateKey(in: envelope, unlock: .pin(currentPIN))
    let secret = try reportingFiles { try existingSecret() }
    let changed = try await sealed(privateKey, as: envelope.key, secret: secret, unlock: unlock)
    let file = KeyFile.software.url(for: tag, in: folder)
    try await KeyFolderLock.withLock(in: folder) {
      // Deriving took a while: a key that was deleted meanwhile does not come back, and another PIN is not undone.
      guard let now = try ProtectedFiles.read(file, limit: KeyEnvelope.maximumBytes) else {
        throw DeviceKeyError.notFound(tag: tag)
      }
      guard now == bytes else {
        throw DeviceKeyError.unwritable(path: file.path, reason: "another program changed it meanwhile")
      }
      try ProtectedFiles.replace(file, with: changed)
    }
  }

  public func kind(ofKey tag: String) async throws -> KeyStoreKind {
    // Damaged or not: it is there.
    let file = KeyFile.software.url(for: tag, in: folder)
    guard try reportingFiles({ try ProtectedFiles.read(file, limit: KeyEnvelope.maximumBytes) }) != nil else {
      throw DeviceKeyError.notFound(tag: tag)
    }
    return kind
  }

  public func deleteKey(tag: String) async throws {
    // No folder, no key; and nothing to create a lock in.
    guard try reportingFiles({ try ProtectedFiles.folderExists(folder) }) else { return }
    let file = KeyFile.software.url(for: tag, in: folder)
    try await KeyFolderLock.withLock(in: folder) {
      try ProtectedFiles.remove(file)
      try ProtectedFiles.remove(PINAttempts.file(besideKey: file))
    }
  }

  public func keys() throws -> [StoredKey] {
    try reportingFiles {
      try ProtectedFiles.names(in: folder).filter(KeyFile.software.isKey).compactMap { name in
        // One that was deleted since the names were read is not a fault.
        try envelope(in: folder.appendingPathComponent(name))?.key
      }
    }
    .sorted { ($0.createdAt, $0.tag) < ($1.createdAt, $1.tag) }
  }

  /// The content of a key file, encrypted with fresh random bytes.
  private func sealed(
    _ privateKey: P256.Signing.PrivateKey, as key: StoredKey, secret: DeviceSecret, unlock: KeyUnlock
  ) async throws -> [UInt8] {
    let derivation = KeyDerivation(for: unlock, cost: cost)
    let salt = randomBytes(16)
    let envelope = try KeyEnvelope(
      sealing: privateKey, as: key, derivation: derivation, salt: salt, nonce: randomBytes(12),
      encryptionKey: try await derivation.key(secret: secret, salt: salt, unlock: unlock))
    return envelope.serialized(integrityKey: secret.key(for: .integrity, salt: salt))
  }

  /// The private key in `envelope`; a PIN is counted before it is tried.
  private func privateKey(
    in envelope: KeyEnvelope, unlock: KeyUnlock
  ) async throws -> P256.Signing.PrivateKey {
    let unlock = try envelope.key.protection.checked(unlock)
    let secret = try reportingFiles { try existingSecret() }
    guard unlock.pin != nil else { return try await decrypted(envelope, secret: secret, unlock: unlock) }
    return try await attempts(envelope.key.tag).evaluate(tag: envelope.key.tag) {
      try await decrypted(envelope, secret: secret, unlock: unlock)
    }
  }

  private func attempts(_ tag: String) -> PINAttempts {
    let file = KeyFile.software.url(for: tag, in: folder)
    return PINAttempts(file: PINAttempts.file(besideKey: file), policy: attemptPolicy, clock: clock)
  }

  public func pinTries(tag: String) async throws -> PINTries? {
    guard let key = try storedKey(tag)?.envelope.key, key.protection == .applicationPIN else { return nil }
    return try await attempts(tag).tries()
  }

  private func decrypted(
    _ envelope: KeyEnvelope, secret: DeviceSecret, unlock: KeyUnlock
  ) async throws -> P256.Signing.PrivateKey {
    let key = envelope.key
    let path = KeyFile.software.url(for: key.tag, in: folder).path
    let encryptionKey = try await envelope.derivation.key(secret: secret, salt: envelope.salt, unlock: unlock)
    guard let privateKey = try? envelope.open(with: encryptionKey) else {
      // The file itself is known to be whole.
      switch unlock {
      case .pin:
        throw DeviceKeyError.wrongPIN(tag: key.tag)
      case .authorization:
        throw DeviceKeyError.unreadable(path: path, reason: "the authorisation does not belong to this key")
      case .nothing, .systemPrompt:
        throw DeviceKeyError.unreadable(path: path, reason: "its private key cannot be decrypted")
      }
    }
    guard try UnlockedKey(tag: key.tag, privateKey: privateKey).publicKey == key.publicKey else {
      throw DeviceKeyError.unreadable(
        path: path, reason: "its private and public key do not belong together")
    }
    return privateKey
  }

  /// The file of the key `tag` as it is and understood, `nil` when there is none.
  private func storedKey(_ tag: String) throws -> (bytes: [UInt8], envelope: KeyEnvelope)? {
    let file = KeyFile.software.url(for: tag, in: folder)
    return try reportingFiles {
      guard let bytes = try ProtectedFiles.read(file, limit: KeyEnvelope.maximumBytes) else { return nil }
      let envelope = try envelope(in: file, bytes)
      guard envelope.key.tag == tag else {
        throw DeviceKeyError.unreadable(path: file.path, reason: "it is the file of another key")
      }
      return (bytes, envelope)
    }
  }

  /// What is in a key file, `nil` when there is no such file.
  private func envelope(in file: URL) throws -> KeyEnvelope? {
    guard let bytes = try ProtectedFiles.read(file, limit: KeyEnvelope.maximumBytes) else { return nil }
    return try envelope(in: file, bytes)
  }

  private func envelope(in file: URL, _ bytes: [UInt8]) throws -> KeyEnvelope {
    do {
      return try KeyEnvelope(parsing: bytes, secret: try existingSecret())
    } catch let damage as JSONRecord.Damage {
      throw DeviceKeyError.unreadable(path: file.path, reason: damage.reason)
    }
  }

  private func existingSecret() throws -> DeviceSecret {
    guard let secret = try DeviceSecret.read(in: folder) else { throw missingSecret }
    return secret
  }

  /// The secret, made if this is the first key. A lost secret is not replaced: restoring it would then be impossible.
  private func secretForNewKey() throws -> DeviceSecret {
    // In this order, because another process makes the secret before its first key.
    let hasKeys = try ProtectedFiles.names(in: folder).contains(where: KeyFile.software.isKey)
    if let secret = try DeviceSecret.read(in: folder) { return secret }
    if hasKeys { throw missingSecret }
    return try DeviceSecret.readOrCreate(in: folder, randomBytes: randomBytes)
  }

  private var missingSecret: DeviceKeyError {
    .unreadable(
      path: folder.appendingPathComponent(DeviceSecret.fileName).path,
      reason: "it is missing, and the keys beside it cannot be decrypted without it")
  }
}
