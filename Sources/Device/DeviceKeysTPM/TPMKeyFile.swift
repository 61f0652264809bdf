internal import Bytes
internal import Crypto
internal import CTSS2
internal import DeviceKeys
internal import Foundation
internal import JOSE
internal import PrivateFiles
internal import StrictJSON

/// The content of a key file of the TPM store: the key's two blobs, and what is needed to find and describe it.
///
/// The chip encrypted the private blob, which loads only into that chip and under that parent. A digest over everything tells a damaged
/// file from a cleared chip. It protects nothing: anybody who can write the file can make the key unusable, and nothing more.
struct TPMKeyFile: Sendable {
  static let version: Int64 = 1
  static let maximumBytes = 8 << 10

  let key: StoredKey
  let blobs: TPMKeyBlobs

  /// - Throws: ``JSONRecord/Damage`` when the public area is not one that the store makes for `protection`.
  init(
    tag: String, protection: KeyProtection, createdAt: Date, blobs: TPMKeyBlobs
  ) throws(JSONRecord.Damage) {
    guard let area = try? PublicArea(sized: blobs.publicBlob),
      area.attributes == Template.deviceKeyAttributes(hasPIN: protection == .applicationPIN),
      let publicKey = area.p256X963.flatMap({ try? JWK(p256X963: $0, keyID: nil) })
    else {
      throw JSONRecord.Damage(
        reason: "its public area is not that of a key with protection \(protection.rawValue)")
    }
    key = StoredKey(
      tag: tag, protection: protection, publicKey: publicKey, createdAt: createdAt, kind: .tpm)
    self.blobs = blobs
  }

  /// The file of the same key with another private blob.
  func replacing(privateBlob: [UInt8]) throws(JSONRecord.Damage) -> TPMKeyFile {
    var blobs = blobs
    blobs.privateBlob = privateBlob
    return try TPMKeyFile(
      tag: key.tag, protection: key.protection, createdAt: key.createdAt, blobs: blobs)
  }

  /// The content of the file.
  var serialized: [UInt8] {
    var json = body
    json["sha256"] = .string(Base64URL.encode(SHA256.hash(data: json.serialized)))
    return json.serialized
  }

  private var body: JSONObject {
    var json: JSONObject = [
      "version": .integer(Self.version),
      "tag": .string(key.tag),
      "protection": .string(key.protection.rawValue),
      "createdAt": .integer(key.createdAt.millisecondsSince1970),
    ]
    json.merge(blobs.json)
    return json
  }

  /// - Throws: ``JSONRecord/Damage`` when `bytes` are not exactly what ``serialized`` wrote.
  init(parsing bytes: [UInt8]) throws(JSONRecord.Damage) {
    let record = try JSONRecord(
      parsing: bytes, as: "key file", versions: Self.version...Self.version, limit: Self.maximumBytes)
    guard let tag = record.text("tag"), let protection: KeyProtection = record.choice("protection"),
      let createdAt = record.date("createdAt"), let digest = record.bytes("sha256")
    else { throw .member }
    try self.init(tag: tag, protection: protection, createdAt: createdAt, blobs: TPMKeyBlobs(record))
    guard digest == Array(SHA256.hash(data: body.serialized)) else {
      throw JSONRecord.Damage(reason: "it was changed: its digest does not match")
    }
  }
}
