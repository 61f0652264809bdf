internal import Bytes
internal import DeviceKeys
internal import PrivateFiles
internal import StrictJSON

/// A secret key as its TPM encrypted it for itself; worth nothing without that.
struct TPMMACKey {
  /// What it is called in errors: it has no file of its own.
  static let name = "a secret key of the TPM"
  private static let version: Int64 = 1

  /// TPM2B_PUBLIC.
  let publicBlob: [UInt8]
  /// TPM2B_PRIVATE.
  let privateBlob: [UInt8]
  /// The Name of the key's parent, by which a cleared or exchanged chip is recognised.
  let parentName: [UInt8]

  init(publicBlob: [UInt8], privateBlob: [UInt8], parentName: [UInt8]) {
    (self.publicBlob, self.privateBlob, self.parentName) = (publicBlob, privateBlob, parentName)
  }

  var serialized: [UInt8] {
    let json: JSONObject = [
      "version": .integer(Self.version), "tpm2bPublic": .string(Base64URL.encode(publicBlob)),
      "tpm2bPrivate": .string(Base64URL.encode(privateBlob)),
      "parentName": .string(Base64URL.encode(parentName)),
    ]
    return json.serialized
  }

  /// - Throws: ``JSONRecord/Damage`` unless all members are there.
  init(parsing bytes: [UInt8]) throws(JSONRecord.Damage) {
    let record = try JSONRecord(
      parsing: bytes, as: "secret key", versions: Self.version...Self.version, limit: MACKey.maximumBytes)
    guard let publicBlob = record.bytes("tpm2bPublic"), let privateBlob = record.bytes("tpm2bPrivate"),
      let parentName = record.bytes("parentName")
    else { throw .member }
    self.init(publicBlob: publicBlob, privateBlob: privateBlob, parentName: parentName)
  }
}
