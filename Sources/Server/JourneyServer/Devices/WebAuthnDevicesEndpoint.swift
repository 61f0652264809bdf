internal import BindingFormats
internal import Bytes
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import StrictJSON

/// `/users/{user}/devices/2fa/webauthn`: the WebAuthn credentials of an account. They come from journeys; here they are listed,
/// read by their credential id, renamed and removed.
struct WebAuthnDevicesEndpoint: Sendable {
  let store: any ServerStore
  let sessions: SessionAuthority

  func respondForCollection(to request: Request, user: String, realm: String) async throws -> Response {
    guard request.method == .get else { throw ErrorResponse.methodNotAllowed([.get]) }
    let account = try await sessions.require(.readFactors, request, user: user, realm: realm)
    try QueryParameters(request.uri.query).requireAllRecords()
    let devices = try await store.webAuthnDevices(username: account.username, realm: account.realm)
    if devices.isEmpty { try await requireUser(account) }
    return .json(.queryResult(devices.map(\.representation)))
  }

  /// - Parameter id: the record's; to read it, the credential's does as well.
  func respond(to request: Request, user: String, id: String, realm: String) async throws -> Response {
    guard [.get, .put, .delete].contains(request.method) else {
      throw ErrorResponse.methodNotAllowed([.get, .put, .delete])
    }
    let body = try await RequestBodyReader.object(of: request)
    let account =
      request.method == .delete
      ? try await sessions.requireFactorChange(request, user: user, realm: realm)
      : try await sessions.require(
        request.method == .get ? .readFactors : .administrate, request, user: user, realm: realm)
    let device: WebAuthnDeviceRecord?
    switch request.method {
    case .put:
      let name = try DeviceName(body)
      guard !name.text.contains("::") else {
        throw ErrorResponse.badRequest("The name of a WebAuthn device has no two colons in a row.")
      }
      device = try await store.renameWebAuthnDevice(
        uuid: id, username: account.username, realm: account.realm, to: name.text)
    case .delete:
      device = try await store.deleteWebAuthnDevice(
        uuid: id, username: account.username, realm: account.realm)
    default:
      let credentialID = Base64URL.decode(id)
      device = try await store.webAuthnDevices(username: account.username, realm: account.realm).first {
        $0.uuid == id || $0.credentialID == credentialID
      }
    }
    guard let device else { throw ErrorResponse.notFound("There is no such device.") }
    return .json(device.representation)
  }

  private func requireUser(_ account: UniversalID) async throws {
    guard try await store.user(named: account.username, realm: account.realm) != nil else {
      throw ErrorResponse.notFound("There is no such user in this realm.")
    }
  }
}

extension WebAuthnDeviceRecord {
  /// What clients see: no key, no user handle. Times are milliseconds since 1970.
  fileprivate var representation: JSONObject {
    let object: JSONObject = [
      "createdDate": .integer(createdDate.millisecondsSince1970),
      "lastAccessDate": .integer(lastAccessDate.millisecondsSince1970),
      "credentialId": .string(Base64URL.encode(credentialID)), "deviceName": .string(deviceName),
      "uuid": .string(uuid), "deviceManagementStatus": false,
    ]
    return object.identified(by: uuid)
  }
}
