internal import DeviceKeys
internal import Foundation
internal import JOSE
internal import Bytes
internal import StrictJSON
internal import WebAuthnFormats

/// What a file of the credential store holds.
struct CredentialRecord: Sendable {
  static let version: Int64 = 1
  static let maximumBytes = 16 << 10

  var source: PublicKeyCredentialSource

  /// Until when somebody may still be making this credential; afterwards it and its key are to be removed. `nil` for one that is
  /// in use. In the past for one that is being removed.
  var doomedAt: Date?

  /// Why bytes are no record, in words for ``DeviceKeyError/unreadable(path:reason:)``.
  struct Damage: Error {
    let reason: String
  }

  var serialized: [UInt8] {
    var json: JSONObject = [
      "version": .integer(Self.version), "id": .string(source.credentialID),
      "rpId": .string(source.relyingPartyID), "userName": .string(source.userName),
      "otherUI": .string(source.otherUI), "alg": .integer(Int64(source.algorithm.rawValue)),
      "signCount": .integer(Int64(source.signCount)), "createdAt": .integer(source.createdAt.milliseconds),
      "keyTag": .string(source.keyTag), "protection": .string(source.protection.rawValue),
    ]
    json["userHandle"] = source.userHandle.map { .string(Base64URL.encode($0)) }
    json["server"] = source.scope.map { .string($0.server) }
    json["realm"] = source.scope?.realm.map { .string($0) }
    json["doomedAt"] = doomedAt.map { .integer($0.milliseconds) }
    return json.serialized
  }

  init(source: PublicKeyCredentialSource, doomedAt: Date?) {
    self.source = source
    self.doomedAt = doomedAt
  }

  init(parsing bytes: [UInt8]) throws(Damage) {
    let value: JSONValue
    do {
      value = try JSONValue(
        parsing: bytes, limits: JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 2))
    } catch {
      throw Damage(reason: "\(error)")
    }
    guard let version = value["version"]?.integerValue else { throw Damage(reason: "it is no credential") }
    guard version == Self.version else {
      throw Damage(reason: "it has version \(version), and this program knows version \(Self.version)")
    }
    guard let id = value["id"]?.stringValue.flatMap({ Base64URL.decode($0) }), !id.isEmpty,
      let relyingPartyID = value["rpId"]?.stringValue, let userName = value["userName"]?.stringValue,
      let otherUI = value["otherUI"]?.stringValue, let keyTag = value["keyTag"]?.stringValue,
      let algorithm = value["alg"]?.integerValue.flatMap({ COSEAlgorithm(rawValue: Int($0)) }),
      let signCount = value["signCount"]?.integerValue.flatMap({ UInt32(exactly: $0) }),
      let createdAt = value["createdAt"]?.integerValue,
      let protection = value["protection"]?.stringValue.flatMap(KeyProtection.init(rawValue:))
    else { throw Damage(reason: "a member is missing or malformed") }
    var userHandle: [UInt8]?
    if let text = value["userHandle"]?.stringValue {
      guard let bytes = Base64URL.decode(text) else { throw Damage(reason: "userHandle is no base64url") }
      userHandle = bytes
    }
    source = PublicKeyCredentialSource(
      id: id, relyingPartyID: relyingPartyID, userHandle: userHandle, userName: userName, otherUI: otherUI,
      algorithm: algorithm, signCount: signCount, createdAt: Date(milliseconds: createdAt), keyTag: keyTag,
      protection: protection,
      scope: value["server"]?.stringValue.map {
        CredentialScope(server: $0, realm: value["realm"]?.stringValue)
      })
    doomedAt = value["doomedAt"]?.integerValue.map(Date.init(milliseconds:))
  }
}

extension Date {
  /// Whole milliseconds since 1970; dates beyond what 64 bits hold become 0.
  var milliseconds: Int64 { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) ?? 0 }

  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
