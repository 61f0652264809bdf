internal import BindingFormats
internal import Bytes
internal import Foundation
internal import JOSE
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// A device that was bound but not yet stored: what a Device Binding node leaves for scripts and for the Device Binding
/// Storage node.
enum DeviceInState {
  /// The device, in PingAM's form; scripts may read and change it.
  static let device = "DeviceBinding.DEVICE"

  /// Another name under which journeys may have it.
  static let legacyDevice = "DeviceBindingNode.DEVICE"

  /// Whom the device is for, how many that user may have, and for an attested key what is known of it:
  /// `{"userId", "limit", "attestation": {"thumbprint", "result"}}`. Kept apart from the device, which scripts may change.
  static let terms = "DeviceBinding.TERMS"

  /// What a verified attestation says of the key that was just bound, for scripts: under PingAM's name, in the form that the device's
  /// record has. No script can write it (`ReservedState`), and it is there only while the last binding of the run brought one.
  static let attestation = "DeviceBindingCallback.ATTESTATION"

  static func put(attestation result: JSONObject?, into state: inout JourneyState) {
    state.forget(attestation)
    state.transient[attestation] = result.map { .object($0) }
  }

  static func put(_ record: BoundDeviceRecord, userID: String, limit: Int, into state: inout JourneyState) {
    state.transient[device] = .object(record.stateForm)
    var conditions: JSONObject = ["userId": .string(userID), "limit": .integer(Int64(limit))]
    conditions["attestation"] = record.attestation.map { attestation in
      ["thumbprint": .string(record.thumbprint), "result": .object(attestation)]
    }
    state.transient[terms] = .object(conditions)
  }

  /// The attestation in `terms`, if it is of the key with this thumbprint.
  static func attestation(of thumbprint: String, in terms: JSONValue?) -> JSONObject? {
    guard let attestation = terms?["attestation"], attestation["thumbprint"]?.stringValue == thumbprint else {
      return nil
    }
    return attestation["result"]?.objectValue
  }

  static func remove(from state: inout JourneyState) {
    for name in [device, legacyDevice, terms] { state.forget(name) }
  }
}

extension BoundDeviceRecord {
  private static let standardName = "New Device"

  /// The record of a key just proven, bound now.
  init(
    proven key: DeviceProof.ProvenKey, user: UserRecord, deviceID: String, deviceName: String, now: Date
  ) {
    var json = key.jwk.json
    json["use"] = "sig"
    json["alg"] = .string(key.algorithm.rawValue)
    json["kid"] = .string(key.id)
    self.init(
      uuid: key.id, realm: user.realm, username: user.username, deviceID: deviceID,
      deviceName: DeviceName(fitting: deviceName, standard: Self.standardName).text, key: json,
      thumbprint: key.jwk.thumbprint,
      createdDate: now,
      lastAccessDate: now)
  }

  /// The device as journeys' state and REST answers have it; dates in milliseconds since 1970.
  var stateForm: JSONObject {
    [
      "uuid": .string(uuid), "deviceName": .string(deviceName), "deviceId": .string(deviceID),
      "recoveryCodes": [], "key": .object(key), "createdDate": .integer(createdDate.millisecondsSince1970),
      "lastAccessDate": .integer(lastAccessDate.millisecondsSince1970),
    ]
  }

  /// Reads ``stateForm`` back, after scripts may have changed it; `nil` when it is not a device any more.
  init?(stateForm json: JSONObject, user: UserRecord, now: Date) {
    guard let key = json["key"]?.objectValue, let jwk = try? JWK(json: key),
      let uuid = json["uuid"]?.stringValue,
      let keyID = jwk.keyID, keyID.hasSameBytes(as: uuid), let algorithm = jwk.algorithm,
      DeviceProof.algorithms.contains(algorithm)
    else { return nil }
    let created = json["createdDate"]?.doubleValue.map { Date(timeIntervalSince1970: $0 / 1000) } ?? now
    self.init(
      proven: DeviceProof.ProvenKey(id: uuid, jwk: jwk, algorithm: algorithm), user: user,
      deviceID: json["deviceId"]?.stringValue ?? "", deviceName: json["deviceName"]?.stringValue ?? "",
      now: created)
  }
}
