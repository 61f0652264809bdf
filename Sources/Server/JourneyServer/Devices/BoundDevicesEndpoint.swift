internal import BindingFormats
internal import Bytes
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import StrictJSON

/// `/users/{user}/devices/2fa/binding`: the devices bound to an account. They come from journeys; here they are listed,
/// renamed and removed.
struct BoundDevicesEndpoint: Sendable {
  let store: any ServerStore
  let sessions: SessionAuthority

  func respondForCollection(to request: Request, user: String, realm: String) async throws -> Response {
    guard request.method == .get else { throw ErrorResponse.methodNotAllowed([.get]) }
    let account = try await sessions.require(.readFactors, request, user: user, realm: realm)
    try QueryParameters(request.uri.query).requireAllRecords()
    let devices = try await store.boundDevices(username: account.username, realm: account.realm)
    if devices.isEmpty, try await store.user(named: account.username, realm: account.realm) == nil {
      throw ErrorResponse.notFound("There is no such user in this realm.")
    }
    return .json(.queryResult(devices.map(\.representation)))
  }

  func respond(to request: Request, user: String, id: String, realm: String) async throws -> Response {
    guard [.put, .delete].contains(request.method) else {
      throw ErrorResponse.methodNotAllowed([.put, .delete])
    }
    let body = try await RequestBodyReader.object(of: request)
    let account =
      request.method == .delete
      ? try await sessions.requireFactorChange(request, user: user, realm: realm)
      : try await sessions.require(.administrate, request, user: user, realm: realm)
    let device: BoundDeviceRecord?
    if request.method == .put {
      let name = try DeviceName(body)
      device = try await store.renameBoundDevice(
        uuid: id, username: account.username, realm: account.realm, to: name.text)
    } else {
      device = try await store.deleteBoundDevice(uuid: id, username: account.username, realm: account.realm)
    }
    guard let device else { throw ErrorResponse.notFound("There is no such device.") }
    return .json(device.representation)
  }
}

extension DeviceName {
  /// Takes `deviceName`; other members are ignored, because clients send the entire record.
  init(_ object: JSONObject) throws(ErrorResponse) {
    guard let given = try object.text("deviceName") else { throw .badRequest("Send a deviceName.") }
    guard let name = DeviceName(given) else {
      throw .badRequest("A device name has 1 to \(Self.maximumLength) characters and no control characters.")
    }
    self = name
  }
}

extension BoundDeviceRecord {
  /// What clients see of a bound device; times are milliseconds since 1970. `attestation` is ours, and there only for
  /// a key that has one.
  var representation: JSONObject {
    var object: JSONObject = [
      "createdDate": .integer(createdDate.millisecondsSince1970),
      "lastAccessDate": .integer(lastAccessDate.millisecondsSince1970), "deviceId": .string(deviceID),
      "deviceName": .string(deviceName), "uuid": .string(uuid), "recoveryCodes": [], "key": .object(key),
      "deviceManagementStatus": false,
    ]
    object["attestation"] = attestation.map { .object($0) }
    return object.identified(by: uuid)
  }
}
