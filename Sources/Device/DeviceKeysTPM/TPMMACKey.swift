internal import Bytes
internal import DeviceKeys
internal import PrivateFiles
internal import StrictJSON

/// A key as its TPM encrypted it for itself; worth nothing without that TPM.
struct TPMKeyBlobs: Sendable {
  /// TPM2B_PUBLIC.
  let publicBlob: [UInt8]
  /// TPM2B_PRIVATE.
  var privateBlob: [UInt8]
  /// The Name of the key's parent, which tells a cleared or exchanged chip.
  let parentName: [UInt8]
}

extension TPMKeyBlobs {
  var json: JSONObject {
    [
      "tpm2bPublic": .string(Base64URL.encode(publicBlob)),
      "tpm2bPrivate": .string(Base64URL.encode(privateBlob)),
      "parentName": .string(Base64URL.encode(parentName)),
    ]
  }

  /// - Throws: ``JSONRecord/Damage`` unless `record` has the members of ``json``.
  init(_ record: JSONRecord) throws(JSONRecord.Damage) {
    guard let publicBlob = record.bytes("tpm2bPublic"), let privateBlob = record.bytes("tpm2bPrivate"),
      let parentName = record.bytes("parentName")
    else { throw .member }
    self.init(publicBlob: publicBlob, privateBlob: privateBlob, parentName: parentName)
  }
}

/// A secret key of a ``MACKeyStore`` as its caller keeps it.
struct TPMMACKey {
  /// The name of the key in errors: it has no file of its own.
  static let name = "a secret key of the TPM"
  private static let version: Int64 = 1

  let blobs: TPMKeyBlobs

  var serialized: [UInt8] {
    var json: JSONObject = ["version": .integer(Self.version)]
    json.merge(blobs.json)
    return json.serialized
  }
}

extension TPMMACKey {
  /// - Throws: ``JSONRecord/Damage`` unless all members are there.
  init(parsing bytes: [UInt8]) throws(JSONRecord.Damage) {
    blobs = try TPMKeyBlobs(
      JSONRecord(
        parsing: bytes, as: "secret key", versions: Self.version...Self.version, limit: MACKey.maximumBytes))
  }
}
