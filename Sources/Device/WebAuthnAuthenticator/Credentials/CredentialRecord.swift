internal import Bytes
internal import DeviceKeys
internal import Foundation
internal import JOSE
internal import PrivateFiles
internal import StrictJSON
internal import WebAuthnFormats

/// The content of a file of the credential store.
struct CredentialRecord: Sendable {
  /// The versions of the format. 2 adds ``RoamingDetails``, 3 adds secrets that are in hardware. Each is written only where it is needed.
  static let versions: ClosedRange<Int64> = 1...3
  static let maximumBytes = 16 << 10

  var source: PublicKeyCredentialSource

  /// The end of the time in which this credential may still be in the making; afterwards it and its key are to be removed. `nil` when it is
  /// in use; in the past when it is being removed.
  var doomedAt: Date?

  var serialized: [UInt8] {
    var json: JSONObject = [
      "version": .integer(version), "id": .string(source.credentialID),
      "rpId": .string(source.relyingPartyID), "userName": .string(source.userName),
      "otherUI": .string(source.otherUI), "alg": .integer(Int64(source.algorithm.rawValue)),
      "signCount": .integer(Int64(source.signCount)),
      "createdAt": .integer(source.createdAt.millisecondsSince1970),
      "keyTag": .string(source.keyTag), "protection": .string(source.protection.rawValue),
    ]
    json["userHandle"] = source.userHandle.map { .string(Base64URL.encode($0)) }
    json["server"] = source.scope.map { .string($0.server) }
    json["realm"] = source.scope?.realm.map { .string($0) }
    if let roaming = source.roaming {
      json["displayName"] = .string(roaming.displayName)
      json["credProtect"] = .integer(Int64(roaming.protection.rawValue))
      switch roaming.secrets {
      case .bytes(let unverified, let verified)?:
        json["secrets"] = .string(Base64URL.encode(unverified + verified))
      case .hardware(let unverified, let verified)?:
        json["unverifiedKey"] = .string(Base64URL.encode(unverified))
        json["verifiedKey"] = .string(Base64URL.encode(verified))
      case nil: break
      }
    }
    json["doomedAt"] = doomedAt.map { .integer($0.millisecondsSince1970) }
    return json.serialized
  }

  private var version: Int64 {
    guard let roaming = source.roaming else { return 1 }
    if case .hardware? = roaming.secrets { return 3 }
    return 2
  }
}

extension CredentialRecord {
  init(parsing bytes: [UInt8]) throws(JSONRecord.Damage) {
    let record = try JSONRecord(
      parsing: bytes, as: "credential", versions: Self.versions, limit: Self.maximumBytes)
    guard let id = record.bytes("id"), !id.isEmpty, let relyingPartyID = record.text("rpId"),
      let userName = record.text("userName"), let otherUI = record.text("otherUI"),
      let keyTag = record.text("keyTag"),
      let algorithm = record.integer("alg").flatMap({ COSEAlgorithm(rawValue: Int($0)) }),
      let signCount = record.integer("signCount").flatMap({ UInt32(exactly: $0) }),
      let createdAt = record.date("createdAt"), let protection: KeyProtection = record.choice("protection")
    else { throw .member }
    var userHandle: [UInt8]?
    if record["userHandle"] != nil {
      userHandle = record.bytes("userHandle")
      guard userHandle != nil else { throw JSONRecord.Damage(reason: "userHandle is not valid base64url") }
    }
    var roaming: RoamingDetails?
    if record.version >= 2 {
      guard let displayName = record.text("displayName"),
        let protection = record.integer("credProtect").flatMap({
          RoamingDetails.Protection(rawValue: Int($0))
        })
      else { throw .member }
      var secrets = record.bytes("secrets").flatMap(PseudoRandomSecrets.init(bytes:))
      guard (secrets == nil) == (record["secrets"] == nil) else { throw .member }
      if record.version == 3 {
        guard let unverified = record.bytes("unverifiedKey"), let verified = record.bytes("verifiedKey"),
          secrets == nil, max(unverified.count, verified.count) <= MACKey.maximumBytes
        else { throw .member }
        secrets = .hardware(unverified: unverified, verified: verified)
      }
      roaming = RoamingDetails(displayName: displayName, protection: protection, secrets: secrets)
    }
    source = PublicKeyCredentialSource(
      id: id, relyingPartyID: relyingPartyID, userHandle: userHandle, userName: userName, otherUI: otherUI,
      algorithm: algorithm, signCount: signCount, createdAt: createdAt,
      keyTag: keyTag,
      protection: protection,
      scope: record.text("server").map { CredentialScope(server: $0, realm: record.text("realm")) },
      roaming: roaming)
    doomedAt = record.date("doomedAt")
  }
}
