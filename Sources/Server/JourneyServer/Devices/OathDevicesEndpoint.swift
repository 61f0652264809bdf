internal import BindingFormats
internal import Bytes
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import StrictJSON

/// `/users/{user}/devices/2fa/oath`: the authenticators of an account's one-time codes. They come from journeys; here they are
/// listed, renamed and removed, and the account says whether it does without.
struct OathDevicesEndpoint: Sendable {
  let store: any ServerStore
  let sessions: SessionAuthority

  func respondForCollection(to request: Request, user: String, realm: String) async throws -> Response {
    guard [.get, .post].contains(request.method) else {
      throw ErrorResponse.methodNotAllowed([.get, .post])
    }
    // Read first, so that a body sent late changes nothing that was looked up before.
    let body = try await RequestBodyReader.object(of: request)
    let query = try QueryParameters(request.uri.query)
    let account =
      request.method == .post && ["reset", "skip"].contains(query["_action"])
      ? try await sessions.requireFactorChange(
        request, user: user, realm: realm, capability: query["_action"] == "reset" ? .support : .administrate)
      : try await sessions.require(.readFactors, request, user: user, realm: realm)
    guard try await store.user(named: account.username, realm: account.realm) != nil else {
      throw ErrorResponse.notFound("There is no such user in this realm.")
    }
    if request.method == .post { return try await act(body, query["_action"], on: account) }
    try query.requireAllRecords()
    let devices = try await store.oathDevices(username: account.username, realm: account.realm)
    return .json(.queryResult(devices.map(\.representation)))
  }

  private func act(_ body: JSONObject, _ action: String?, on account: UniversalID) async throws -> Response {
    switch action {
    case "reset":
      _ = try await store.resetOath(username: account.username, realm: account.realm)
      return .json(["result": true])
    case "check":
      let setting = try await store.oathSkipSetting(username: account.username, realm: account.realm)
      return .json(["result": .bool(setting == .skippable)])
    case "skip":
      guard let value = body["value"]?.boolValue else {
        throw ErrorResponse.badRequest("Send a value, true or false.")
      }
      let stored = try await store.setOathSkipSetting(
        value ? .skippable : .notSkippable, username: account.username, realm: account.realm)
      guard stored else { throw ErrorResponse.notFound("There is no such user in this realm.") }
      return .json([:])
    default: throw ErrorResponse.badRequest("The parameter _action names no action of authenticators.")
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
    let device: OathDeviceRecord?
    if request.method == .put {
      let name = try DeviceName(body)
      device = try await store.renameOathDevice(
        uuid: id, username: account.username, realm: account.realm, to: name.text)
    } else {
      device = try await store.deleteOathDevice(uuid: id, username: account.username, realm: account.realm)
    }
    guard let device else { throw ErrorResponse.notFound("There is no such device.") }
    return .json(device.representation)
  }
}

extension OathDeviceRecord {
  /// What clients see of an authenticator: never its secret. Times are milliseconds since 1970.
  fileprivate var representation: JSONObject {
    let object: JSONObject = [
      "createdDate": .integer(createdDate.millisecondsSince1970),
      "lastAccessDate": .integer(lastAccessDate.millisecondsSince1970), "deviceName": .string(deviceName),
      "uuid": .string(uuid), "deviceManagementStatus": false,
    ]
    return object.identified(by: uuid)
  }
}
