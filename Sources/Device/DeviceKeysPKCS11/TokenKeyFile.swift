internal import Bytes
internal import Crypto
internal import DeviceKeys
internal import Foundation
internal import JOSE
internal import PrivateFiles
internal import StrictJSON

/// The content of a file of the store: the public key, and what identifies the private one. It has no secrets.
///
/// There are two kinds. The file of a key describes a key that may be used. The file of a leftover names an object in a token that no key
/// uses any more, or not yet: the object is removed when somebody next unlocks the token after ``notBefore``.
struct TokenKeyFile: Sendable {
  static let version: Int64 = 1
  static let maximumBytes = 8 << 10

  let tag: String
  let createdAt: Date
  let token: TokenIdentity
  /// The library by which the key was made.
  let module: String
  /// `CKA_ID` of the private and the public key.
  let id: [UInt8]
  /// `04 ‖ x ‖ y`; empty while the key is being made.
  let publicKey: [UInt8]
  /// When the objects of a leftover may be removed.
  var notBefore: Date

  /// The key as the store lists it; `nil` when there is no public key.
  var key: StoredKey? {
    (try? JWK(p256X963: publicKey, keyID: nil)).map {
      StoredKey(
        tag: tag, protection: .applicationPIN, publicKey: $0, createdAt: createdAt, kind: token.kind)
    }
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
      "tag": .string(tag),
      "createdAt": .integer(createdAt.millisecondsSince1970),
      "notBefore": .integer(notBefore.millisecondsSince1970),
      "module": .string(module),
      "label": .string(token.label),
      "manufacturer": .string(token.manufacturer),
      "model": .string(token.model),
      "serial": .string(token.serial),
      "id": .string(Base64URL.encode(id)),
      "publicKey": .string(Base64URL.encode(publicKey)),
    ]
  }
}

extension TokenKeyFile {
  /// - Throws: ``JSONRecord/Damage`` when `bytes` are not exactly what ``serialized`` wrote.
  init(parsing bytes: [UInt8]) throws(JSONRecord.Damage) {
    let record = try JSONRecord(
      parsing: bytes, as: "key file", versions: Self.version...Self.version, limit: Self.maximumBytes)
    guard let tag = record.text("tag"), let createdAt = record.date("createdAt"),
      let notBefore = record.date("notBefore"), let module = record.text("module"),
      let label = record.text("label"),
      let manufacturer = record.text("manufacturer"), let model = record.text("model"),
      let serial = record.text("serial"), let id = record.bytes("id"), !id.isEmpty,
      let publicKey = record.bytes("publicKey"), let digest = record.bytes("sha256")
    else { throw .member }
    self.init(
      tag: tag, createdAt: createdAt,
      token: TokenIdentity(label: label, manufacturer: manufacturer, model: model, serial: serial),
      module: module,
      id: id, publicKey: publicKey, notBefore: notBefore)
    guard digest == Array(SHA256.hash(data: body.serialized)) else {
      throw JSONRecord.Damage(reason: "it was changed: its digest does not match")
    }
  }

  /// Reads the file of a key, which has to have a public key.
  static func key(parsing bytes: [UInt8]) throws(JSONRecord.Damage) -> TokenKeyFile {
    let file = try TokenKeyFile(parsing: bytes)
    guard file.key != nil else { throw JSONRecord.Damage(reason: "its public key is not on P-256") }
    return file
  }
}
