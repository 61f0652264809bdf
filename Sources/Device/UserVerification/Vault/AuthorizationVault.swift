public import Bytes
public import DeviceKeys
public import Foundation
public import PrivateFiles

/// Keeps the authorisation values of biometric keys, and releases one only for a verification of the person.
///
/// Each value is a file of mode 0600 in a folder of mode 0700. It is encrypted under a key from a secret of this folder and, with
/// ``EnrolmentChangePolicy/invalidate``, from the enrolled set that the person was recognised in: with another set it cannot be decrypted.
/// A damaged file is reported by its path, and other keys keep working.
///
/// docs/user-verification.md says what this protects and what it does not: no hardware ties the verification to the value.
public struct AuthorizationVault: Sendable {
  private let files: KeyFolder
  private let randomBytes: @Sendable (Int) -> [UInt8]

  /// The vault in `directory`, which is created with the first value.
  ///
  /// - Parameters:
  ///   - directory: A folder. It may be the folder of the keys; if the two are separate, a copy of only one is worthless.
  ///   - randomBytes: Source of the vault's secret, salts and nonces; the system's by default.
  public init(
    directory: URL, randomBytes: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes
  ) {
    files = KeyFolder(
      directory.standardizedFileURL, suffix: "authorization", limit: VaultEntry.maximumBytes)
    self.randomBytes = randomBytes
  }

  /// The vault in the folder `authorizations` of `home`.
  public init(home: ClientHome = .standard) {
    self.init(directory: home.directory.appendingPathComponent("authorizations", isDirectory: true))
  }

  /// Keeps `value` for the key `tag`; durable when the call returns.
  ///
  /// - Parameters:
  ///   - protection: The protection of the key. The value of a ``KeyProtection/biometricOnly`` key is released for a biometric only. That
  ///     of a ``KeyProtection/biometricOrCredential`` key is released for the device's credential, too, and only for that when nothing was
  ///     enrolled.
  ///   - enrolment: What is enrolled now; `nil` when nothing is, or there is no reader.
  ///   - policy: What a later change of the enrolled set leads to.
  /// - Throws: ``AuthorizationVaultError/exists(tag:)``; ``AuthorizationVaultError/unsupported(_:)`` for other protections,
  ///   and for ``KeyProtection/biometricOnly`` while nothing is enrolled.
  public func store(
    _ value: AuthorizationValue, tag: String, protection: KeyProtection, enrolment: EnrolmentFingerprint?,
    policy: EnrolmentChangePolicy = .invalidate
  ) throws {
    do {
      try KeyTag.check(tag)
    } catch {
      throw AuthorizationVaultError.unsupported(error.localizedDescription)
    }
    switch protection {
    case .none, .applicationPIN:
      throw AuthorizationVaultError.unsupported(
        "A key with protection \(protection.rawValue) has no authorisation to be kept.")
    case .biometricOnly where enrolment == nil:
      throw AuthorizationVaultError.unsupported(
        "A key for fingers or faces only needs one that is enrolled. Enrol one, or use another authentication type."
      )
    case .biometricOnly, .biometricOrCredential:
      break
    }
    try reporting {
      try files.create()
      let secret = try FolderSecret.forNewFile(of: files, in: secretFile, randomBytes: randomBytes)
      let entry = try VaultEntry(
        sealing: value, tag: tag, enrolment: enrolment, policy: policy,
        allowsCredential: protection == .biometricOrCredential, secret: secret, randomBytes: randomBytes)
      do {
        try ProtectedFiles.create(files.file(of: tag), with: entry.serialized(secret: secret))
      } catch FileStorageError.exists {
        throw AuthorizationVaultError.exists(tag: tag)
      }
    }
  }

  /// Returns the value of the key `tag` for a person who was verified.
  ///
  /// - Parameter current: What is enrolled now, for ``PersonVerification/deviceCredential(_:)``. With ``EnrolmentChangePolicy/invalidate``
  ///   and a key that was made for an enrolled set, the value is released neither for another set nor for an empty one. A biometric
  ///   verification carries its own enrolment.
  /// - Throws: ``AuthorizationVaultError``.
  public func release(
    tag: String, for verification: PersonVerification, current: CurrentEnrolment = .unknown
  ) throws -> AuthorizationValue {
    let (entry, secret) = try entry(tag)
    return try reportingDamage(of: tag) {
      switch verification {
      case .biometric(let person): try entry.open(in: person.enrolment, secret: secret)
      case .deviceCredential: try entry.open(current: current, secret: secret)
      }
    }
  }

  /// The conditions for releasing the value of the key `tag`: what to ask the person for.
  ///
  /// - Throws: ``AuthorizationVaultError/notFound(tag:)``, ``AuthorizationVaultError/unreadable(path:reason:)``.
  public func conditions(tag: String) throws -> ReleaseConditions { try entry(tag).entry.conditions }

  /// Whether what is enrolled now is on another reader than the key `tag` was made with, so that no finger shown there can
  /// release its value.
  ///
  /// - Throws: As ``conditions(tag:)``.
  public func isOnAnotherReader(tag: String, current: CurrentEnrolment) throws -> Bool {
    guard case .enrolled(let enrolment) = current else { return false }
    let (entry, secret) = try entry(tag)
    return entry.conditions.policy == .invalidate && entry.isOnAnotherReader(enrolment, secret: secret)
  }

  /// Keeps the value of the key `tag` for what is enrolled now, after a change that the person accepted and confirmed with the device's
  /// credential. The key stays the same, so servers need not be told.
  ///
  /// - Parameter enrolment: What is enrolled now.
  /// - Throws: ``AuthorizationVaultError/biometricOnly(tag:)`` for a key that the device's credential does not release; the others as
  ///   ``release(tag:for:current:)``.
  public func renew(
    tag: String, for verification: DeviceCredentialVerification, enrolment: EnrolmentFingerprint
  ) throws {
    let (entry, secret) = try entry(tag)
    let value = try reportingDamage(of: tag) { try entry.openByCredential(secret: secret) }
    let renewed = try VaultEntry(
      sealing: value, tag: tag, enrolment: enrolment, policy: entry.head.policy, allowsCredential: true,
      secret: secret, randomBytes: randomBytes)
    try reporting {
      try ProtectedFiles.replace(files.file(of: tag), with: renewed.serialized(secret: secret))
    }
  }

  /// Checks, before the person is asked, whether the value of the key `tag` can still be released.
  ///
  /// - Throws: ``AuthorizationVaultError/enrolmentChanged(tag:)`` when `current` is another set than the one that the key was
  ///   made for, and its policy is ``EnrolmentChangePolicy/invalidate``; the others as ``conditions(tag:)``.
  public func requireUnchanged(tag: String, current: CurrentEnrolment) throws {
    let (entry, secret) = try entry(tag)
    try entry.requireUnchanged(current, secret: secret)
  }

  /// Removes what is kept for the key `tag`. Succeeds when there is nothing.
  public func remove(tag: String) throws {
    try reporting { try ProtectedFiles.remove(files.file(of: tag)) }
  }

  private func entry(_ tag: String) throws -> (entry: VaultEntry, secret: FolderSecret) {
    try reporting {
      let found = try files.content(ofKey: tag, named: { $0.entry.head.tag }) { bytes in
        let secret = try FolderSecret.existing(in: secretFile)
        return (entry: try VaultEntry(parsing: bytes, secret: secret), secret: secret)
      }
      guard let found else { throw AuthorizationVaultError.notFound(tag: tag) }
      return found
    }
  }

  private var secretFile: URL { files.url.appendingPathComponent("vault.secret") }

  private func reportingDamage<Result>(of tag: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let damage as JSONRecord.Damage {
      throw AuthorizationVaultError.unreadable(path: files.file(of: tag).path, reason: damage.reason)
    }
  }

  /// Runs `body` and translates file errors into ``AuthorizationVaultError``.
  private func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch FileStorageError.unreadable(let path, let reason) {
      throw AuthorizationVaultError.unreadable(path: path, reason: reason)
    } catch FileStorageError.unwritable(let path, let reason) {
      throw AuthorizationVaultError.unwritable(path: path, reason: reason)
    }
  }
}
