internal import Bytes
internal import Foundation
internal import OATH
package import StrictJSON

extension OathDeviceRecord {
  /// The device as part of an enrolment that waits for its answer; holds the secret, so it is stored encrypted only.
  package var sealedForm: JSONObject {
    var object: JSONObject = [
      "uuid": .string(uuid), "name": .string(deviceName),
      "secret": .string(PaddedBase64.encode(secret.reveal())), "hash": .string(profile.hash.rawValue),
      "digits": .integer(Int64(profile.digits.rawValue)), "checksum": .bool(profile.addsChecksum),
      "created": .number(createdDate.timeIntervalSince1970),
    ]
    if case .time(let period) = profile.factor { object["period"] = .integer(Int64(period)) }
    object["offset"] = profile.truncationOffset.map { .integer(Int64($0)) }
    return object
  }

  /// Reverses ``sealedForm``; `nil` when it was not written so.
  package init?(sealedForm value: JSONValue, realm: String, username: String) {
    guard let uuid = value["uuid"]?.stringValue, let name = value["name"]?.stringValue,
      let secret = value["secret"]?.stringValue.flatMap({ PaddedBase64.decode($0) }),
      let hash = value["hash"]?.stringValue.flatMap(OATHProfile.Hash.init(rawValue:)),
      let digits = value["digits"]?.integerValue.flatMap({ OATHProfile.Digits(rawValue: Int($0)) }),
      let addsChecksum = value["checksum"]?.boolValue, let created = value["created"]?.doubleValue
    else { return nil }
    let date = Date(timeIntervalSince1970: created)
    self.init(
      uuid: uuid, realm: realm, username: username, deviceName: name, secret: StoredSecret(secret),
      profile: OATHProfile(
        factor: value["period"]?.integerValue.map { .time(period: Int($0)) } ?? .counter, hash: hash,
        digits: digits, truncationOffset: value["offset"]?.integerValue.map { Int($0) },
        addsChecksum: addsChecksum), createdDate: date, lastAccessDate: date)
  }
}
