internal import Bytes
internal import Crypto
internal import Foundation

/// 32 random bytes in a file of their own, from which all keys of one vault are derived.
struct VaultSecret: Sendable, Redacted {
  /// What a derived key is for. Different purposes give unrelated keys.
  enum Purpose {
    /// Encrypts what is released to whoever is enrolled.
    case anyEnrolment
    /// Encrypts what is released for one enrolled set only: another one gives another key.
    case enrolment(EnrolmentFingerprint)
    case deviceCredential
    /// Tells one enrolled set from another without saying which it is.
    case comparison
    case integrity
  }

  static let fileName = "vault.secret"
  static let byteCount = 32
  private let bytes: [UInt8]

  /// `nil` unless there are 32 bytes.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// The key for `purpose` (HKDF-SHA256, RFC 5869).
  func key(for purpose: Purpose, salt: [UInt8]) -> SymmetricKey {
    let (further, info): ([UInt8], String) =
      switch purpose {
      case .anyEnrolment: ([], "biometric")
      case .enrolment(let enrolment): (enrolment.bytes, "biometric of one enrolment")
      case .deviceCredential: ([], "device credential")
      case .comparison: ([], "comparison")
      case .integrity: ([], "integrity")
      }
    return HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: bytes + further), salt: salt,
      info: Array("sealring authorization vault v1 \(info)".utf8), outputByteCount: 32)
  }
}
