internal import BindingFormats
internal import Bytes
internal import Foundation
internal import JOSE
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

extension NodeDefinition {
  /// Stores the device that a Device Binding node left in state: `true` when it is stored.
  func deviceBindingStorageNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let services = try services.addingFactors(self)
    return PlainNode(
      outcomes: ["true", "false"], stateInputs: [StateKey.username, DeviceInState.device]
    ) { context in
      func failure(_ reason: String) -> NodeResult { context.outcome("false", because: reason) }
      let found = try await services.user(in: &context)
      let device = context.state[DeviceInState.device] ?? context.state[DeviceInState.legacyDevice]
      let terms = context.state[DeviceInState.terms]
      DeviceInState.remove(from: &context.state)
      guard let device = device?.objectValue else {
        return failure(
          "there is no device in state; switch on `postponeDeviceProfileStorage` in the Device Binding node")
      }
      guard let user = found else { return failure("there is no such user") }
      if let owner = terms?["userId"]?.stringValue, !owner.hasSameBytes(as: user.universalID) {
        return failure("the device in state was bound by another user")
      }
      guard var record = BoundDeviceRecord(stateForm: device, user: user, now: services.clock()) else {
        return failure(
          "the device in state has no acceptable public key, or its `uuid` is not the key's `kid`")
      }
      record.attestation = DeviceInState.attestation(of: record.thumbprint, in: terms)
      let permission = try await services.factorPermission(for: user, context)
      let limit = terms?["limit"]?.integerValue.flatMap { Int(exactly: $0) } ?? 0
      let addition = try await services.store.addBoundDevice(
        record, limit: DeviceLimit(limit, permission, of: user))
      if let refusal = try addition.refusal(limit: limit) { return failure(refusal) }
      try await services.noteAddedDevice(record.uuid, kind: "binding", of: user, in: context)
      return .outcome("true")
    }
  }
}

extension DeviceAddition {
  /// Why the device was not stored; `nil` when it was.
  func refusal(
    limit: Int, duplicate: String = "the user already has this key, or a device with this `kid`"
  ) throws(NodeError) -> String? {
    switch self {
    case .added: nil
    case .limitReached: "the user has \(limit) devices, which is the limit"
    case .replayed: ProofFailure.replayed.text
    case .notFirst: throw NodeError("the user has added a stronger factor meanwhile")
    case .duplicate: duplicate
    case .noSuchUser: "the user was deleted meanwhile"
    }
  }
}

/// A device that was bound but not yet stored: what a Device Binding node leaves for scripts and for the Device Binding
/// Storage node.
enum DeviceInState {
  /// The device, in PingAM's form; scripts may read and change it.
  static let device = "DeviceBinding.DEVICE"

  /// Another name that journeys may use for the device.
  static let legacyDevice = "DeviceBindingNode.DEVICE"

  /// The user of the device, how many devices that user may have, and the result of the key's attestation, if there is one:
  /// `{"userId", "limit", "attestation": {"thumbprint", "result"}}`. Kept apart from the device, which scripts may change.
  static let terms = "DeviceBinding.TERMS"

  /// The verified attestation of the key that was just bound, for scripts, under PingAM's name and in the form that the device's record
  /// has. No script can write it (`ReservedState`), and it is set only if the last binding of the run brought an attestation.
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
