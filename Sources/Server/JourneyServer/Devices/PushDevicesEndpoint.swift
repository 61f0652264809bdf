internal import Foundation
internal import Hummingbird
internal import JourneyNodes
internal import JourneyStore
internal import StrictJSON

/// `/users/{user}/devices/2fa/push`: the push devices of an account. They come from journeys; here they are listed, renamed
/// and removed, and here stands whether the user may do without.
struct PushDevicesEndpoint: Sendable {
  let store: any ServerStore
  let sessions: SessionAuthority
  let direct: DirectDelivery

  func respondForCollection(to request: Request, user: String, realm: String) async throws -> Response {
    guard [.get, .post].contains(request.method) else { throw ErrorResponse.methodNotAllowed([.get, .post]) }
    let account = try await access(request, user: user, realm: realm)
    let query = try QueryParameters(request.uri.query)
    guard try await store.user(named: account.username, realm: account.realm) != nil else {
      throw ErrorResponse.notFound("There is no such user in this realm.")
    }
    if request.method == .post { return try await act(query["_action"], on: account, request) }
    guard query["_queryFilter"] ?? "true" == "true" else {
      throw ErrorResponse.badRequest("Use _queryFilter=true.")
    }
    let devices = try await store.pushDevices(username: account.username, realm: account.realm)
    return .json(.queryResult(devices.map(\.representation)))
  }

  private func act(_ action: String?, on account: UniversalID, _ request: Request) async throws -> Response {
    switch action {
    case "reset":
      let devices = try await store.pushDevices(username: account.username, realm: account.realm)
      _ = try await store.deletePushDevices(username: account.username, realm: account.realm)
      try await forget(devices, of: account)
      return .json(["result": true])
    case "check":
      let setting = try await store.pushSkipSetting(username: account.username, realm: account.realm)
      return .json(["result": .bool(setting == .skippable)])
    case "skip":
      guard case .bool(let value) = try await RequestBodyReader.object(of: request)["value"] else {
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
    let account = try await access(request, user: user, realm: realm)
    let device: PushDeviceRecord?
    if request.method == .put {
      let name = try DeviceName(try await RequestBodyReader.object(of: request))
      device = try await store.renamePushDevice(
        uuid: id, username: account.username, realm: account.realm, to: name.text)
    } else {
      device = try await store.deletePushDevice(uuid: id, username: account.username, realm: account.realm)
      try await forget(device.map { [$0] } ?? [], of: account)
    }
    guard let device else { throw ErrorResponse.notFound("There is no such device.") }
    return .json(device.representation)
  }

  /// What goes with removed devices: their streams, and with the last one the codes that stood in for it.
  private func forget(_ devices: [PushDeviceRecord], of account: UniversalID) async throws {
    for device in devices { direct.end(device.address) }
    guard !devices.isEmpty,
      try await store.pushDevices(username: account.username, realm: account.realm).isEmpty
    else { return }
    try await store.setRecoveryCodes([], kind: "PUSH", username: account.username, realm: account.realm)
  }

  private func access(_ request: Request, user: String, realm: String) async throws -> UniversalID {
    let session = try await sessions.requireSession(request)
    let account = try AccountName.account(user, realm: realm)
    try await sessions.requireAccess(session, to: account)
    return account
  }
}

extension PushDeviceRecord {
  /// What clients see of a push device: no secret and no token. Times are milliseconds since 1970.
  fileprivate var representation: JSONObject {
    let object: JSONObject = [
      "createdDate": .integer(createdDate.milliseconds),
      "lastAccessDate": .integer(lastAccessDate.milliseconds), "deviceName": .string(deviceName),
      "uuid": .string(uuid), "deviceManagementStatus": false,
    ]
    return object.identified(by: uuid)
  }
}
