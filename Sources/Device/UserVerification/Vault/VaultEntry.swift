internal import Bytes
internal import Crypto
internal import DeviceKeys
internal import Foundation
internal import JOSE
internal import PrivateFiles
internal import StrictJSON

/// The content of a vault's file: one authorisation value, encrypted once for each way of releasing it.
///
/// Both are encrypted with AES-256-GCM, with everything but the ciphertexts and the MAC as associated data. The MAC covers everything, so
/// that a damaged file is told from a changed enrolment.
struct VaultEntry: Sendable {
  /// The largest file that is read, in bytes.
  static let maximumBytes = 4 << 10
  private static let version: Int64 = 1

  /// The part of an entry that is not encrypted.
  struct Head: Sendable, Hashable {
    let tag: String
    let policy: EnrolmentChangePolicy
    let salt: [UInt8]
    /// The enrolled set that the key was made for, as a MAC; `nil` when there was none.
    let enrolment: [UInt8]?
    /// The reader that the set is enrolled on, as a MAC; `nil` when it is not known, as in files of earlier versions.
    let reader: [UInt8]?

    fileprivate var json: JSONObject {
      var json: JSONObject = [
        "version": .integer(version),
        "tag": .string(tag),
        "policy": .string(policy.rawValue),
        "salt": .string(Base64URL.encode(salt)),
      ]
      json["enrolment"] = enrolment.map { .string(Base64URL.encode($0)) }
      json["reader"] = reader.map { .string(Base64URL.encode($0)) }
      return json
    }
  }

  let head: Head
  /// Nonce, ciphertext and tag for biometrics.
  private let biometric: [UInt8]?
  /// The same for the device's credential.
  private let credential: [UInt8]?

  /// Encrypts `value`.
  init(
    sealing value: AuthorizationValue, tag: String, enrolment: EnrolmentFingerprint?,
    policy: EnrolmentChangePolicy, allowsCredential: Bool, secret: FolderSecret, randomBytes: (Int) -> [UInt8]
  ) throws {
    let salt = randomBytes(16)
    let head = Head(
      tag: tag, policy: policy, salt: salt,
      enrolment: enrolment.map { Self.comparison(of: $0.bytes, salt: salt, secret: secret) },
      reader: enrolment?.reader.map { Self.comparison(of: $0, salt: salt, secret: secret) })
    func seal(under key: SymmetricKey) throws -> [UInt8] {
      let nonce = randomBytes(12)
      let box = try value.withBytes { bytes in
        try AES.GCM.seal(
          bytes, using: key, nonce: AES.GCM.Nonce(data: nonce),
          authenticating: head.json.serialized)
      }
      return nonce + box.ciphertext + box.tag
    }
    self.head = head
    biometric = try enrolment.map { try seal(under: Self.biometricKey(head, $0, secret)) }
    credential = allowsCredential ? try seal(under: Self.credentialKey(head, secret)) : nil
  }

  var conditions: ReleaseConditions {
    ReleaseConditions(
      byBiometric: biometric != nil, byDeviceCredential: credential != nil, policy: head.policy)
  }

  /// The value for a person recognised in `enrolment`.
  func open(in enrolment: EnrolmentFingerprint, secret: FolderSecret) throws -> AuthorizationValue {
    guard let biometric else { throw AuthorizationVaultError.credentialOnly(tag: head.tag) }
    guard let value = open(biometric, with: Self.biometricKey(head, enrolment, secret)) else {
      if isOnAnotherReader(enrolment, secret: secret) {
        throw AuthorizationVaultError.otherReader(tag: head.tag)
      }
      // The file itself is known to be whole.
      throw AuthorizationVaultError.enrolmentChanged(tag: head.tag)
    }
    return value
  }

  /// The value for a person who gave the device's credential while `current` is enrolled.
  func open(current: CurrentEnrolment, secret: FolderSecret) throws -> AuthorizationValue {
    guard credential != nil else { throw AuthorizationVaultError.biometricOnly(tag: head.tag) }
    try requireUnchanged(current, secret: secret)
    return try openByCredential(secret: secret)
  }

  /// - Throws: ``AuthorizationVaultError/enrolmentChanged(tag:)`` when `current` is known to be another set than the one that the key was
  ///   made for, and the policy is ``EnrolmentChangePolicy/invalidate``.
  func requireUnchanged(_ current: CurrentEnrolment, secret: FolderSecret) throws(AuthorizationVaultError) {
    guard head.policy == .invalidate, let recorded = head.enrolment, current != .unknown else { return }
    guard case .enrolled(let enrolment) = current,
      Self.comparison(of: enrolment.bytes, salt: head.salt, secret: secret) == recorded
        || isOnAnotherReader(enrolment, secret: secret)
    else { throw .enrolmentChanged(tag: head.tag) }
  }

  /// Whether `enrolment` certainly comes from another reader than the key's. It then says nothing about what is enrolled on the key's
  /// reader.
  func isOnAnotherReader(_ enrolment: EnrolmentFingerprint, secret: FolderSecret) -> Bool {
    guard let recorded = head.reader, let reader = enrolment.reader else { return false }
    return Self.comparison(of: reader, salt: head.salt, secret: secret) != recorded
  }

  /// The value for a person who gave the device's credential, whatever is enrolled now.
  func openByCredential(secret: FolderSecret) throws -> AuthorizationValue {
    guard let credential else { throw AuthorizationVaultError.biometricOnly(tag: head.tag) }
    guard let value = open(credential, with: Self.credentialKey(head, secret)) else {
      throw JSONRecord.Damage(reason: "it cannot be decrypted")
    }
    return value
  }

  private func open(_ sealed: [UInt8], with key: SymmetricKey) -> AuthorizationValue? {
    guard let box = try? AES.GCM.SealedBox(combined: sealed),
      let bytes = try? AES.GCM.open(box, using: key, authenticating: head.json.serialized)
    else { return nil }
    return AuthorizationValue(bytes: bytes)
  }

  /// The key that encrypts the value for biometrics. With ``EnrolmentChangePolicy/invalidate``, each enrolled set has a key of its own.
  private static func biometricKey(
    _ head: Head, _ enrolment: EnrolmentFingerprint, _ secret: FolderSecret
  ) -> SymmetricKey {
    switch head.policy {
    case .accept: secret.key(for: VaultPurpose.anyEnrolment, salt: head.salt)
    case .invalidate:
      secret.key(
        for: VaultPurpose.oneEnrolment, with: SymmetricKey(data: enrolment.bytes), salt: head.salt)
    }
  }

  private static func credentialKey(_ head: Head, _ secret: FolderSecret) -> SymmetricKey {
    secret.key(for: VaultPurpose.deviceCredential, salt: head.salt)
  }

  /// A MAC that tells enrolled sets or readers apart without revealing them.
  private static func comparison(of bytes: [UInt8], salt: [UInt8], secret: FolderSecret) -> [UInt8] {
    Array(
      HMAC<SHA256>.authenticationCode(
        for: bytes, using: secret.key(for: VaultPurpose.comparison, salt: salt)))
  }
}

extension VaultEntry {
  /// The content of the file.
  func serialized(secret: FolderSecret) -> [UInt8] {
    var json = body
    json["mac"] = .string(
      Base64URL.encode(
        HMAC<SHA256>.authenticationCode(
          for: json.serialized, using: secret.key(for: VaultPurpose.integrity, salt: head.salt))))
    return json.serialized
  }

  private var body: JSONObject {
    var json = head.json
    json["biometric"] = biometric.map { .string(Base64URL.encode($0)) }
    json["credential"] = credential.map { .string(Base64URL.encode($0)) }
    return json
  }

  /// Reads the content of a file.
  ///
  /// - Throws: ``JSONRecord/Damage`` when it is not exactly what ``serialized(secret:)`` wrote with this vault's secret.
  init(parsing bytes: [UInt8], secret: FolderSecret) throws(JSONRecord.Damage) {
    let record = try JSONRecord(
      parsing: bytes, as: "vault file", versions: Self.version...Self.version, limit: Self.maximumBytes)
    guard let tag = record.text("tag"), let policy: EnrolmentChangePolicy = record.choice("policy"),
      let salt = record.bytes("salt"), salt.count == 16, let code = record.bytes("mac")
    else { throw .member }
    head = Head(
      tag: tag, policy: policy, salt: salt, enrolment: record.bytes("enrolment"),
      reader: record.bytes("reader"))
    biometric = record.bytes("biometric")
    credential = record.bytes("credential")
    guard
      HMAC<SHA256>.isValidAuthenticationCode(
        code, authenticating: body.serialized, using: secret.key(for: VaultPurpose.integrity, salt: salt))
    else { throw JSONRecord.Damage(reason: "it was changed, or it belongs to another vault secret") }
  }
}

/// The purposes for which the vault derives keys from its ``FolderSecret``.
private enum VaultPurpose: String {
  case anyEnrolment = "sealring authorization vault v1 biometric"
  case oneEnrolment = "sealring authorization vault v1 biometric of one enrolment"
  case deviceCredential = "sealring authorization vault v1 device credential"
  case comparison = "sealring authorization vault v1 comparison"
  case integrity = "sealring authorization vault v1 integrity"
}
