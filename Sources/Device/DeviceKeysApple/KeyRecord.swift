internal import Bytes
public import DeviceKeys
internal import Foundation
internal import JOSE
internal import UserVerification

/// The record beside a key, readable without unlocking the key: the value of a generic password of the same tag.
struct KeyRecord: Codable, Sendable, Hashable {
  static let currentVersion = 1

  /// 1
  let version: Int
  let protection: KeyProtection
  let kind: KeyStoreKind
  /// 04 ‖ x ‖ y (ANSI X9.63)
  let publicKey: Data
  /// Milliseconds since 1970.
  let createdAt: Int64
  /// The enrolled set, for a key that ends when the set changes.
  let enrolment: EnrolmentFingerprint?

  init(
    protection: KeyProtection, kind: KeyStoreKind, publicKey: Data, createdAt: Date,
    enrolment: EnrolmentFingerprint?
  ) {
    version = Self.currentVersion
    self.protection = protection
    self.kind = kind
    self.publicKey = publicKey
    self.createdAt = createdAt.millisecondsSince1970
    self.enrolment = enrolment
  }

  /// Reads the value of the record of `tag`.
  ///
  /// - Throws: ``DeviceKeyError/unreadable(path:reason:)``
  init(_ value: Data, tag: String) throws(DeviceKeyError) {
    guard value.count <= 4096, let record = try? JSONDecoder().decode(Self.self, from: value) else {
      throw Self.unreadable(tag: tag, reason: "it is not a record of a key")
    }
    guard record.version == Self.currentVersion else {
      throw Self.unreadable(
        tag: tag,
        reason: "it has version \(record.version), and this program knows version \(Self.currentVersion)")
    }
    self = record
  }

  /// What a store says about the key.
  func described(tag: String) throws(DeviceKeyError) -> StoredKey {
    guard let jwk = try? JWK(p256X963: Array(publicKey), keyID: nil) else {
      throw Self.unreadable(tag: tag, reason: "its public key is not on the curve P-256")
    }
    return StoredKey(
      tag: tag, protection: protection, publicKey: jwk,
      createdAt: Date(millisecondsSince1970: createdAt), kind: kind)
  }

  static func unreadable(tag: String, reason: String) -> DeviceKeyError {
    .unreadable(path: "keychain item '\(tag)'", reason: reason)
  }
}

extension KeyStoreKind {
  /// A Secure Enclave.
  public static let secureEnclave = KeyStoreKind(rawValue: "secure-enclave")

  /// The system's keychain, without a Secure Enclave.
  public static let keychain = KeyStoreKind(rawValue: "keychain")
}
