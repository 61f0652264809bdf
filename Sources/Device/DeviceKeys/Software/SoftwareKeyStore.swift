internal import Crypto
public import Foundation
internal import JOSE
public import PingStorage

/// Keeps keys in encrypted files, for devices without a security chip.
///
/// Each key is a file of mode 0600 in a folder of mode 0700, encrypted with AES-256-GCM under a key derived from a secret
/// of this folder and, for ``KeyProtection/applicationPIN``, from the PIN: there is no way past the PIN, because it is what
/// decrypts. Who copies the whole folder can try PINs at the speed of scrypt; a security chip is what prevents that.
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

  /// Files can wait for a PIN; they cannot watch for a fingerprint.
  public nonisolated func supports(_ protection: KeyProtection) -> Bool {
    protection == .none || protection == .applicationPIN
  }

  public func createKey(
    tag: String, protection: KeyProtection, unlock: KeyUnlock
  ) async throws -> any DeviceKey {
    try KeyTag.check(tag)
    let pin = try protection.checked(unlock).pin
    let privateKey = P256.Signing.PrivateKey()
    let key = try UnlockedKey(tag: tag, privateKey: privateKey)
    let secret = try reportingFiles {
      try ProtectedFiles.createFolder(folder)
      LeftoverFiles.remove(.software, in: folder)
      return try secretForNewKey()
    }
    try await PINAttempts.removeLeftovers(of: .software, in: folder)
    let derivation: KeyDerivation = pin == nil ? .deviceSecret : .deviceSecretAndPIN(cost)
    let salt = randomBytes(16)
    let envelope = try KeyEnvelope(
      sealing: privateKey,
      as: StoredKey(
        tag: tag, protection: protection, publicKey: key.publicKey, createdAt: clock(), kind: kind),
      derivation: derivation, salt: salt, nonce: randomBytes(12),
      encryptionKey: try await derivation.key(secret: secret, salt: salt, pin: pin))
    let bytes = envelope.serialized(integrityKey: secret.key(for: .integrity, salt: salt))
    do {
      try reportingFiles {
        try ProtectedFiles.create(KeyFile.software.url(for: tag, in: folder), with: bytes)
      }
    } catch FileStorageError.exists {
      throw DeviceKeyError.exists(tag: tag)
    }
    return key
  }

  public func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    let file = KeyFile.software.url(for: tag, in: folder)
    guard let envelope = try reportingFiles({ try envelope(in: file) }) else {
      throw DeviceKeyError.notFound(tag: tag)
    }
    guard envelope.key.tag == tag else {
      throw DeviceKeyError.unreadable(path: file.path, reason: "it is the file of another key")
    }
    let pin = try envelope.key.protection.checked(unlock).pin
    let secret = try reportingFiles { try existingSecret() }
    guard pin != nil else {
      return try await key(in: envelope, at: file, secret: secret, pin: nil)
    }
    return try await attempts(at: file).evaluate(tag: tag) {
      try await key(in: envelope, at: file, secret: secret, pin: pin)
    }
  }

  public func deleteKey(tag: String) throws {
    let file = KeyFile.software.url(for: tag, in: folder)
    try reportingFiles {
      try ProtectedFiles.remove(file)
      try ProtectedFiles.remove(PINAttempts.file(besideKey: file))
    }
  }

  /// The key that `envelope` holds, decrypted.
  private func key(
    in envelope: KeyEnvelope, at file: URL, secret: DeviceSecret, pin: PIN?
  ) async throws -> UnlockedKey {
    let tag = envelope.key.tag
    let encryptionKey = try await envelope.derivation.key(secret: secret, salt: envelope.salt, pin: pin)
    guard let privateKey = try? envelope.open(with: encryptionKey) else {
      // The file itself is known to be whole.
      if pin != nil { throw DeviceKeyError.wrongPIN(tag: tag) }
      throw DeviceKeyError.unreadable(path: file.path, reason: "its private key cannot be decrypted")
    }
    let key = try UnlockedKey(tag: tag, privateKey: privateKey)
    guard key.publicKey == envelope.key.publicKey else {
      throw DeviceKeyError.unreadable(
        path: file.path, reason: "its private and public key do not belong together")
    }
    return key
  }

  /// The count of wrong PINs for the key in `file`.
  private func attempts(at file: URL) -> PINAttempts {
    PINAttempts(file: PINAttempts.file(besideKey: file), policy: attemptPolicy, clock: clock)
  }

  public func keys() throws -> [StoredKey] {
    try reportingFiles {
      try ProtectedFiles.names(in: folder).filter(KeyFile.software.isKey).compactMap { name in
        // One that was deleted since the names were read is no fault.
        try envelope(in: folder.appendingPathComponent(name))?.key
      }
    }
    .sorted { ($0.createdAt, $0.tag) < ($1.createdAt, $1.tag) }
  }

  /// What is in a key file, `nil` when there is no such file.
  private func envelope(in file: URL) throws -> KeyEnvelope? {
    guard let bytes = try ProtectedFiles.read(file, limit: KeyEnvelope.maximumBytes) else { return nil }
    do {
      return try KeyEnvelope(parsing: bytes, secret: try existingSecret())
    } catch let damage as KeyEnvelope.Damage {
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
