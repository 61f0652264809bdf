internal import Bytes
internal import Crypto
internal import Foundation
internal import JOSE
internal import PrivateFiles
internal import StrictJSON

/// An encrypted private key with what is needed to find, describe and unlock it: the content of a key file.
///
/// The private key is encrypted with AES-256-GCM, with everything else as associated data. A MAC under a key from the device's secret
/// covers everything. It tells a damaged file from a wrong PIN, and does so before scrypt runs with the parameters in the file.
struct KeyEnvelope: Sendable {
  static let maximumBytes = 8 << 10

  let key: StoredKey
  let derivation: KeyDerivation
  let salt: [UInt8]
  let nonce: [UInt8]
  private(set) var ciphertext: [UInt8] = []

  /// Encrypts `privateKey`.
  init(
    sealing privateKey: P256.Signing.PrivateKey, as key: StoredKey, derivation: KeyDerivation, salt: [UInt8],
    nonce: [UInt8], encryptionKey: SymmetricKey
  ) throws {
    self.key = key
    self.derivation = derivation
    self.salt = salt
    self.nonce = nonce
    let box = try AES.GCM.seal(
      privateKey.rawRepresentation, using: encryptionKey, nonce: AES.GCM.Nonce(data: nonce),
      authenticating: description.serialized)
    ciphertext = Array(box.ciphertext + box.tag)
  }

  /// The private key, or `nil` when `encryptionKey` is not the one that it was encrypted with.
  func open(with encryptionKey: SymmetricKey) throws -> P256.Signing.PrivateKey? {
    let box = try AES.GCM.SealedBox(
      nonce: AES.GCM.Nonce(data: nonce), ciphertext: ciphertext.dropLast(16), tag: ciphertext.suffix(16))
    guard let raw = try? AES.GCM.open(box, using: encryptionKey, authenticating: description.serialized)
    else {
      return nil
    }
    return try P256.Signing.PrivateKey(rawRepresentation: raw)
  }

  /// The content of the file.
  func serialized(integrityKey: SymmetricKey) -> [UInt8] {
    var json = body
    json["mac"] = .string(
      Base64URL.encode(HMAC<SHA256>.authenticationCode(for: json.serialized, using: integrityKey)))
    return json.serialized
  }

  /// Everything but the MAC.
  private var body: JSONObject {
    var json = description
    json["ciphertext"] = .string(Base64URL.encode(ciphertext))
    return json
  }

  /// Everything but the ciphertext and the MAC.
  private var description: JSONObject {
    [
      "version": .integer(derivation.envelopeVersion),
      "tag": .string(key.tag),
      "protection": .string(key.protection.rawValue),
      "publicKey": .object(key.publicKey.json),
      "createdAt": .integer(key.createdAt.millisecondsSince1970),
      "kdf": .object(derivation.json),
      "salt": .string(Base64URL.encode(salt)),
      "nonce": .string(Base64URL.encode(nonce)),
    ]
  }
}

extension KeyEnvelope {
  /// Reads the content of a key file.
  ///
  /// - Throws: ``JSONRecord/Damage`` when it is not exactly what ``serialized(integrityKey:)`` wrote with this device's secret.
  init(parsing bytes: [UInt8], secret: FolderSecret) throws(JSONRecord.Damage) {
    let record = try JSONRecord(
      parsing: bytes, as: "key file", versions: 1...2, limit: Self.maximumBytes, depth: 4)
    guard let tag = record.text("tag"), let protection: KeyProtection = record.choice("protection"),
      let publicKey = record["publicKey"]?.objectValue.flatMap({ try? JWK(json: $0) }),
      let createdAt = record.date("createdAt"),
      let derivation = record["kdf"].flatMap(KeyDerivation.init(json:)),
      record.version == derivation.envelopeVersion,
      let salt = record.bytes("salt"), salt.count == 16,
      let nonce = record.bytes("nonce"), nonce.count == 12,
      let ciphertext = record.bytes("ciphertext"), ciphertext.count == 32 + 16,
      let code = record.bytes("mac")
    else { throw .member }
    key = StoredKey(
      tag: tag, protection: protection, publicKey: publicKey, createdAt: createdAt, kind: .software)
    self.derivation = derivation
    self.salt = salt
    self.nonce = nonce
    self.ciphertext = ciphertext
    guard
      HMAC<SHA256>.isValidAuthenticationCode(
        code, authenticating: body.serialized, using: secret.key(for: KeyPurpose.integrity, salt: salt))
    else { throw JSONRecord.Damage(reason: "it was changed, or it belongs to another device secret") }
  }
}

extension KeyDerivation {
  /// The version of the envelope. Version 1 has no authorisation values; envelopes without one are still written as version 1.
  fileprivate var envelopeVersion: Int64 {
    switch self {
    case .deviceSecret, .deviceSecretAndPIN: 1
    case .deviceSecretAndAuthorization: 2
    }
  }

  fileprivate var json: JSONObject {
    switch self {
    case .deviceSecret:
      ["name": "HKDF-SHA256"]
    case .deviceSecretAndPIN(let cost):
      [
        "name": "scrypt+HKDF-SHA256", "n": .integer(Int64(cost.rounds)), "r": .integer(Int64(cost.blockSize)),
        "p": .integer(Int64(cost.parallelism)),
      ]
    case .deviceSecretAndAuthorization:
      ["name": "authorization+HKDF-SHA256"]
    }
  }

  fileprivate init?(json: JSONValue) {
    switch json["name"]?.stringValue {
    case "HKDF-SHA256":
      self = .deviceSecret
    case "scrypt+HKDF-SHA256":
      guard let rounds = json["n"]?.integerValue.flatMap(Int.init(exactly:)),
        let blockSize = json["r"]?.integerValue.flatMap(Int.init(exactly:)),
        let parallelism = json["p"]?.integerValue.flatMap(Int.init(exactly:)),
        let cost = try? ScryptCost(rounds: rounds, blockSize: blockSize, parallelism: parallelism)
      else { return nil }
      self = .deviceSecretAndPIN(cost)
    case "authorization+HKDF-SHA256":
      self = .deviceSecretAndAuthorization
    default:
      return nil
    }
  }
}
