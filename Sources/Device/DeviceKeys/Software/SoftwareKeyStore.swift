public import Bytes
internal import Crypto
public import Foundation
internal import JOSE
public import PrivateFiles

/// Keeps keys in encrypted files, for devices without a security chip.
///
/// Each key is a file of mode 0600 in a folder of mode 0700. It is encrypted with AES-256-GCM under a key derived from a secret of the
/// folder and, for ``KeyProtection/applicationPIN``, from the PIN, or for biometric keys from their ``AuthorizationValue``. Somebody who
/// copies the whole folder can try PINs at the speed of scrypt; only a security chip prevents that.
///
/// Several processes may use one folder. A key is durable when a call returns, and a crash leaves all of it or nothing.
/// A damaged file is reported by its path and left unchanged, and other keys keep working.
public actor SoftwareKeyStore: DeviceKeyStore {
  public nonisolated let kind = KeyStoreKind.software
  private let files: KeyFolder
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private let clock: @Sendable () -> Date
  private let cost: ScryptCost
  private let attemptPolicy: PINAttemptPolicy

  /// The store in `directory`, which is created when the first key is.
  ///
  /// - Parameters:
  ///   - randomBytes: Source of the device secret, salts and nonces. Private keys come from the cryptography library.
  ///   - scrypt: The cost for new PINs. A key of lower cost is encrypted again at this cost after its PIN was right.
  ///   - pinAttempts: The policy for wrong PINs. Every program that uses the folder has to be given the same one.
  ///   - clock: The time for creation dates and for the delays after wrong PINs.
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when `directory` is not a file URL.
  public init(
    directory: URL, randomBytes: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes,
    scrypt: ScryptCost = .standard, pinAttempts: PINAttemptPolicy = .standard,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    guard directory.isFileURL else {
      throw DeviceKeyError.unsupported("Keys are kept in a folder, and \(directory) is not a file URL.")
    }
    files = KeyFolder(directory.standardizedFileURL, suffix: "key", limit: KeyEnvelope.maximumBytes)
    self.randomBytes = randomBytes
    self.clock = clock
    cost = scrypt
    attemptPolicy = pinAttempts
  }

  /// The cost for the store in a home. Tests that run many commands in one process lower it, because their PINs wait for one another.
  @TaskLocal package static var costInHome = ScryptCost.standard

  /// The store in the folder `keys` of `home`, the default place of a device's keys.
  public init(home: ClientHome = .standard) throws {
    try self.init(
      directory: home.directory.appendingPathComponent("keys", isDirectory: true), scrypt: Self.costInHome)
  }

  /// Always `true`. Files cannot verify a fingerprint: biometric keys are unlocked by the value that a verifier released.
  public nonisolated func supports(_ protection: KeyProtection) -> Bool { true }

  public func createKey(
    tag: String, protection: KeyProtection, unlock: KeyUnlock
  ) async throws -> any DeviceKey {
    try KeyTag.check(tag)
    let unlock = try protection.checked(unlock)
    let privateKey = P256.Signing.PrivateKey()
    let key = try UnlockedKey(tag: tag, privateKey: privateKey)
    let secret = try reportingFiles {
      try files.create()
      return try FolderSecret.forNewFile(of: files, in: secretFile, randomBytes: randomBytes)
    }
    try await files.removeOrphanedCounts()
    let description = StoredKey(
      tag: tag, protection: protection, publicKey: key.publicKey, createdAt: clock(), kind: kind)
    let bytes = try await sealed(privateKey, as: description, secret: secret, unlock: unlock)
    try files.add(bytes, for: tag)
    return key
  }

  /// Unlocks the key `tag`. The ``AuthorizationValue`` of another key throws ``DeviceKeyError/unreadable(path:reason:)``: it means that
  /// files were mixed up, not that somebody guessed.
  public func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    guard let (bytes, envelope) = try storedKey(tag) else { throw DeviceKeyError.notFound(tag: tag) }
    let privateKey = try await privateKey(in: envelope, unlock: unlock)
    if case .deviceSecretAndPIN(let stored) = envelope.derivation, stored.isBelow(cost) {
      await renew(privateKey, in: envelope, unlock: unlock, replacing: bytes)
    }
    return try UnlockedKey(tag: tag, privateKey: privateKey)
  }

  /// Encrypts the key again at the current cost. If that fails, for example on a full disk, the old file stays in use: the PIN was right.
  private func renew(
    _ privateKey: P256.Signing.PrivateKey, in envelope: KeyEnvelope, unlock: KeyUnlock,
    replacing bytes: [UInt8]
  ) async {
    guard let secret = try? existingSecret(),
      let renewed = try? await sealed(privateKey, as: envelope.key, secret: secret, unlock: unlock)
    else { return }
    try? await files.replace(bytes, with: renewed, for: envelope.key.tag)
  }

  public func changePIN(tag: String, from currentPIN: PIN, to newPIN: PIN) async throws {
    guard let (bytes, envelope) = try storedKey(tag) else { throw DeviceKeyError.notFound(tag: tag) }
    let unlock = try envelope.key.protection.checked(.pin(newPIN))
    let privateKey = try await privateKey(in: envelope, unlock: .pin(currentPIN))
    let changed = try await sealed(privateKey, as: envelope.key, secret: try existingSecret(), unlock: unlock)
    try await files.replace(bytes, with: changed, for: tag)
  }

  public func kind(ofKey tag: String) async throws -> KeyStoreKind {
    guard try files.hasFile(of: tag) else { throw DeviceKeyError.notFound(tag: tag) }
    return kind
  }

  public func deleteKey(tag: String) async throws { try await files.remove(tag) }

  public func keys() throws -> [StoredKey] {
    // A key that was deleted since the names were read is not a fault.
    try reportingFiles { try files.files.compactMap { try files.content(of: $0, envelope)?.key } }
      .oldestFirst
  }

  public func readableKeys() async throws -> (keys: [StoredKey], faults: [DeviceKeyError]) {
    let (contents, faults) = try await files.readable { file in
      try reportingFiles { try files.content(of: file, envelope) }
    }
    return (contents.map(\.key).oldestFirst, faults)
  }

  /// The content of a key file, encrypted with fresh random bytes.
  private func sealed(
    _ privateKey: P256.Signing.PrivateKey, as key: StoredKey, secret: FolderSecret, unlock: KeyUnlock
  ) async throws -> [UInt8] {
    let derivation = KeyDerivation(for: unlock, cost: cost)
    let salt = randomBytes(16)
    let envelope = try KeyEnvelope(
      sealing: privateKey, as: key, derivation: derivation, salt: salt, nonce: randomBytes(12),
      encryptionKey: try await derivation.key(secret: secret, salt: salt, unlock: unlock))
    return envelope.serialized(integrityKey: secret.key(for: KeyPurpose.integrity, salt: salt))
  }

  /// The private key in `envelope`; a PIN is counted before it is tried.
  private func privateKey(
    in envelope: KeyEnvelope, unlock: KeyUnlock
  ) async throws -> P256.Signing.PrivateKey {
    let unlock = try envelope.key.protection.checked(unlock)
    let secret = try existingSecret()
    guard unlock.pin != nil else { return try await decrypted(envelope, secret: secret, unlock: unlock) }
    return try await attempts(envelope.key.tag).evaluate(tag: envelope.key.tag) {
      try await decrypted(envelope, secret: secret, unlock: unlock)
    }
  }

  private func attempts(_ tag: String) -> PINAttempts {
    PINAttempts(file: files.attemptsFile(of: tag), policy: attemptPolicy, clock: clock)
  }

  public func pinTries(tag: String) async throws -> PINTries? {
    guard let key = try storedKey(tag)?.envelope.key, key.protection == .applicationPIN else { return nil }
    return try await attempts(tag).tries()
  }

  private func decrypted(
    _ envelope: KeyEnvelope, secret: FolderSecret, unlock: KeyUnlock
  ) async throws -> P256.Signing.PrivateKey {
    let key = envelope.key
    let path = files.file(of: key.tag).path
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
        path: path, reason: "its private and public key do not match")
    }
    return privateKey
  }

  /// The bytes of the file of the key `tag` and the envelope in it; `nil` when there is no file.
  private func storedKey(_ tag: String) throws -> (bytes: [UInt8], envelope: KeyEnvelope)? {
    try reportingFiles {
      try files.content(ofKey: tag, named: { $0.envelope.key.tag }) { ($0, try envelope($0)) }
    }
  }

  private func envelope(_ bytes: [UInt8]) throws -> KeyEnvelope {
    try KeyEnvelope(parsing: bytes, secret: try existingSecret())
  }

  private func existingSecret() throws -> FolderSecret {
    try reportingFiles { try FolderSecret.existing(in: secretFile) }
  }

  private nonisolated var secretFile: URL { files.url.appendingPathComponent("device.secret") }
}
