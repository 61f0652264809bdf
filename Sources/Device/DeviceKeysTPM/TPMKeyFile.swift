internal import CTSS2
internal import Crypto
internal import DeviceKeys
internal import Foundation
internal import JOSE
internal import Bytes
internal import StrictJSON

/// What a key file of the TPM store holds: the key's two blobs, and what is needed to find and describe it.
///
/// The private blob is encrypted by the chip, and it loads only into that chip and under that parent. A digest over all
/// tells a damaged file from a chip that was cleared. It keeps nobody out: whoever can write the file can make the key
/// unusable, and nothing more.
struct TPMKeyFile: Sendable {
  static let files = KeyFile(suffix: "tpmkey")
  static let version: Int64 = 1
  static let maximumBytes = 8 << 10

  let key: StoredKey
  /// TPM2B_PUBLIC.
  let publicBlob: [UInt8]
  /// TPM2B_PRIVATE.
  let privateBlob: [UInt8]
  /// The Name of the key's parent, by which a cleared or exchanged chip is recognised.
  let parentName: [UInt8]

  /// Why bytes are no key file, in words for ``DeviceKeyError/unreadable(path:reason:)``.
  struct Damage: Error {
    let reason: String
  }

  /// - Throws: ``Damage`` when the public area is none that the store makes for `protection`.
  init(
    tag: String, protection: KeyProtection, createdAt: Date, publicBlob: [UInt8], privateBlob: [UInt8],
    parentName: [UInt8]
  ) throws(Damage) {
    guard let area = try? PublicArea(sized: publicBlob),
      area.attributes == Template.deviceKeyAttributes(hasPIN: protection == .applicationPIN),
      let publicKey = area.p256X963.flatMap({ try? JWK(p256X963: $0, keyID: nil) })
    else {
      throw Damage(reason: "its public area is not that of a key with protection \(protection.rawValue)")
    }
    key = StoredKey(
      tag: tag, protection: protection, publicKey: publicKey, createdAt: createdAt, kind: .tpm)
    self.publicBlob = publicBlob
    self.privateBlob = privateBlob
    self.parentName = parentName
  }

  /// The file of the same key with another private blob.
  func replacing(privateBlob: [UInt8]) throws(Damage) -> TPMKeyFile {
    try TPMKeyFile(
      tag: key.tag, protection: key.protection, createdAt: key.createdAt, publicBlob: publicBlob,
      privateBlob: privateBlob, parentName: parentName)
  }

  /// The content of the file.
  var serialized: [UInt8] {
    var json = body
    json["sha256"] = .string(Base64URL.encode(SHA256.hash(data: json.serialized)))
    return json.serialized
  }

  private var body: JSONObject {
    [
      "version": .integer(Self.version),
      "tag": .string(key.tag),
      "protection": .string(key.protection.rawValue),
      "createdAt": .integer(Int64(exactly: (key.createdAt.timeIntervalSince1970 * 1000).rounded()) ?? 0),
      "tpm2bPublic": .string(Base64URL.encode(publicBlob)),
      "tpm2bPrivate": .string(Base64URL.encode(privateBlob)),
      "parentName": .string(Base64URL.encode(parentName)),
    ]
  }

  /// - Throws: ``Damage`` when `bytes` are not exactly what ``serialized`` wrote.
  init(parsing bytes: [UInt8]) throws(Damage) {
    let value: JSONValue
    do {
      value = try JSONValue(
        parsing: bytes, limits: JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 2))
    } catch {
      throw Damage(reason: "\(error)")
    }
    guard let version = value["version"]?.integerValue else { throw Damage(reason: "it is no key file") }
    guard version == Self.version else {
      throw Damage(reason: "it has version \(version), and this program knows version \(Self.version)")
    }
    guard let tag = value["tag"]?.stringValue,
      let protection = value["protection"]?.stringValue.flatMap(KeyProtection.init(rawValue:)),
      let createdAt = value["createdAt"]?.integerValue,
      let publicBlob = value.bytes("tpm2bPublic"), let privateBlob = value.bytes("tpm2bPrivate"),
      let parentName = value.bytes("parentName"), let digest = value.bytes("sha256")
    else { throw Damage(reason: "a member is missing or malformed") }
    try self.init(
      tag: tag, protection: protection, createdAt: Date(timeIntervalSince1970: Double(createdAt) / 1000),
      publicBlob: publicBlob, privateBlob: privateBlob, parentName: parentName)
    guard digest == Array(SHA256.hash(data: body.serialized)) else {
      throw Damage(reason: "it was changed: its digest is another")
    }
  }
}

extension JSONValue {
  fileprivate func bytes(_ name: String) -> [UInt8]? {
    self[name]?.stringValue.flatMap { Base64URL.decode($0) }
  }
}
