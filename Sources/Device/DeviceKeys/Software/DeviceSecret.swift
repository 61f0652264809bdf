internal import Bytes
internal import Crypto
internal import Foundation
internal import PrivateFiles

/// 32 random bytes in a file of their own, from which all keys of one store are derived: a copied key file alone is
/// worth nothing.
struct DeviceSecret: Sendable, Redacted {
  /// What a derived key is for. Different purposes give unrelated keys.
  enum Purpose {
    case encryption
    case encryptionWithPIN(SymmetricKey)
    case encryptionWithAuthorization(AuthorizationValue)
    case integrity
  }

  static let fileName = "device.secret"
  static let byteCount = 32
  private let bytes: SymmetricKey

  /// The secret of `folder`, `nil` when there is none yet.
  static func read(in folder: URL) throws -> DeviceSecret? {
    let file = folder.appendingPathComponent(fileName)
    return try ProtectedFiles.read(file, limit: byteCount).map { try DeviceSecret($0, file: file) }
  }

  /// The secret of `folder`, made of `randomBytes` when there is none. Processes that race end with the same one.
  static func readOrCreate(in folder: URL, randomBytes: (Int) -> [UInt8]) throws -> DeviceSecret {
    let file = folder.appendingPathComponent(fileName)
    let bytes = try ProtectedFiles.readOrCreate(file, limit: byteCount) { randomBytes(byteCount) }
    return try DeviceSecret(bytes, file: file)
  }

  private init(_ bytes: [UInt8], file: URL) throws {
    guard bytes.count == Self.byteCount else {
      throw DeviceKeyError.unreadable(
        path: file.path, reason: "the device secret has \(Self.byteCount) bytes, this file \(bytes.count)")
    }
    self.bytes = SymmetricKey(data: bytes)
  }

  /// The key for `purpose` (HKDF-SHA256, RFC 5869).
  func key(for purpose: Purpose, salt: [UInt8]) -> SymmetricKey {
    let (input, info) =
      switch purpose {
      case .encryption: (bytes, "encryption")
      case .encryptionWithPIN(let stretched): (bytes.appending(stretched), "encryption with PIN")
      case .encryptionWithAuthorization(let value):
        (bytes.appending(value.withBytes { SymmetricKey(data: $0) }), "encryption with authorization")
      case .integrity: (bytes, "integrity")
      }
    return HKDF<SHA256>.deriveKey(
      inputKeyMaterial: input, salt: salt, info: Array("sealring device key v1 \(info)".utf8),
      outputByteCount: 32)
  }
}

extension SymmetricKey {
  fileprivate func appending(_ other: SymmetricKey) -> SymmetricKey {
    withUnsafeBytes { own in
      other.withUnsafeBytes { others in SymmetricKey(data: Array(own) + Array(others)) }
    }
  }
}
