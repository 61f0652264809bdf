internal import BindingFormats
internal import Bytes
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import PushService
internal import StrictJSON

/// `/users/{user}/devices/2fa/push`: the push devices of an account. They come from journeys; here they are listed, renamed
/// and removed, and here stands whether the user may do without.
struct PushDevicesEndpoint: Sendable {
  let store: any ServerStore
  let sessions: SessionAuthority
  let direct: PollWaiters

  func respondForCollection(to request: Request, user: String, realm: String) async throws -> Response {
    guard [.get, .post].contains(request.method) else { throw ErrorResponse.methodNotAllowed([.get, .post]) }
    let query = try QueryParameters(request.uri.query)
    // Read first, so that a body sent late changes nothing that was looked up before.
    let body = request.method == .post ? try await RequestBodyReader.object(of: request) : JSONObject()
    let account =
      request.method == .post && ["reset", "skip"].contains(query["_action"])
      ? try await sessions.requireFactorChange(
        request, user: user, realm: realm, capability: query["_action"] == "reset" ? .support : .administrate)
      : try await sessions.require(.readFactors, request, user: user, realm: realm)
    guard try await store.user(named: account.username, realm: account.realm) != nil else {
      throw ErrorResponse.notFound("There is no such user in this realm.")
    }
    if request.method == .post { return try await act(query["_action"], on: account, body) }
    try query.requireAllRecords()
    let devices = try await store.pushDevices(username: account.username, realm: account.realm)
    return .json(.queryResult(devices.map(\.representation)))
  }

  private func act(_ action: String?, on account: UniversalID, _ body: JSONObject) async throws -> Response {
    switch action {
    case "reset":
      end(try await store.deletePushDevices(username: account.username, realm: account.realm))
      return .json(["result": true])
    case "check":
      let setting = try await store.pushSkipSetting(username: account.username, realm: account.realm)
      return .json(["result": .bool(setting == .skippable)])
    case "skip":
      guard case .bool(let value) = body["value"] else {
        throw ErrorResponse.badRequest("Send value, true or false.")
      }
      _ = try await store.setPushSkipSetting(
        value ? .skippable : .notSkippable, username: account.username, realm: account.realm)
      return .json([:])
    default: throw ErrorResponse.badRequest("The parameter _action must be reset, check or skip.")
    }
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
    let device: PushDeviceRecord?
    if request.method == .put {
      let name = try DeviceName(body)
      device = try await store.renamePushDevice(
        uuid: id, username: account.username, realm: account.realm, to: name.text)
    } else {
      device = try await store.deletePushDevice(uuid: id, username: account.username, realm: account.realm)
      if let device { end([device]) }
    }
    guard let device else { throw ErrorResponse.notFound("There is no such device.") }
    return .json(device.representation)
  }

  /// Ends the streams of removed devices.
  private func end(_ devices: [PushDeviceRecord]) {
    for device in devices { direct.end(device.address) }
  }
}

extension PushDeviceRecord {
  /// What clients see of a push device: no secret and no token. Times are milliseconds since 1970.
  fileprivate var representation: JSONObject {
    let object: JSONObject = [
      "createdDate": .integer(createdDate.millisecondsSince1970),
      "lastAccessDate": .integer(lastAccessDate.millisecondsSince1970), "deviceName": .string(deviceName),
      "uuid": .string(uuid), "deviceManagementStatus": false,
    ]
    return object.identified(by: uuid)
  }
}
