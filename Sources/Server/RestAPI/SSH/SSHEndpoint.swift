internal import Accounts
internal import BindingFormats
internal import Bytes
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyStore
internal import NIOCore
internal import SSHAuthority
internal import SSHFormats
internal import ServerHTTP
internal import StrictJSON

/// `/ssh`: the realm's authority for SSH certificates. Anybody may read its keys and revocations, because hosts fetch them. Accounts get
/// certificates; administrators get those of hosts, and revoke certificates.
struct SSHEndpoint: Endpoint {
  let authority: SSHAuthority
  let sessions: SessionAuthority

  var routes: [Route] {
    [
      Route("ssh", [.get: read, .post: act]), Route(reading: "ssh/authority", lines),
      Route(reading: "ssh/revoked", revoked),
    ]
  }

  // MARK: For everybody

  private func read(_ request: Request, in context: ResourceContext) async throws -> Response {
    let published = try await authority.published(context.realm)
    let settings = published.settings
    var object: JSONObject = [
      "userAuthority": .array(published.userKeys.map { .string($0.line) }),
      "hostAuthority": .array(published.hostKeys.map { .string($0.line) }),
      "authLevel": .integer(Int64(settings.authLevel)), "attested": .bool(settings.isAttested),
      "lifetime": .integer(Int64(settings.lifetime)),
    ]
    object["journey"] = settings.journey.map { .string($0) }
    return .json(object)
  }

  private func lines(_ request: Request, in context: ResourceContext) async throws -> Response {
    let keys = try await authority.published(context.realm).userKeys
    return Self.file("text/plain;charset=UTF-8", Array(keys.map { $0.line + "\n" }.joined().utf8))
  }

  private func revoked(_ request: Request, in context: ResourceContext) async throws -> Response {
    Self.file("application/octet-stream", try await authority.revoked(context.realm).bytes)
  }

  private static func file(_ type: String, _ bytes: [UInt8]) -> Response {
    .file(type, bytes, headers: [.cacheControl: "no-store", .xContentTypeOptions: "nosniff"])
  }

  // MARK: Actions

  private func act(_ request: Request, in context: ResourceContext) async throws -> Response {
    let query = try QueryParameters(request.uri.query)
    let body = try await RequestBodyReader.object(of: request)
    let session = try await sessions.requireSession(request)
    switch query["_action"] {
    case "challenge": return try await challenge(session, context.realm)
    case "certify": return try await certify(body, session, context.realm)
    case "certifyHost": return try await certifyHost(body, session, context.realm)
    case "revoke": return try await revoke(body, session, context.realm)
    default: throw ErrorResponse.badRequest("The parameter _action names no action of ssh.")
    }
  }

  private func challenge(_ session: AuthenticatedSession, _ realm: String) async throws -> Response {
    let (bytes, expiry) = try await authority.challenge(for: session.record, in: realm)
    return .json([
      "challenge": .string(PaddedBase64.encode(bytes)), "expiresAt": .string(expiry.formatted(.iso8601)),
    ])
  }

  private func certify(
    _ body: JSONObject, _ session: AuthenticatedSession, _ realm: String
  ) async throws -> Response {
    var wanted = SSHCertificateRequest(publicKey: try Self.publicKey(body))
    wanted.principals = try Self.texts("principals", of: body)
    if let text = try body.text("challenge") {
      guard let bytes = PaddedBase64.decode(text) else {
        throw ErrorResponse.badRequest("The member challenge must be Base64.")
      }
      wanted.challenge = bytes
    }
    if let attestation = body["attestation"], !attestation.isNull {
      guard let object = attestation.objectValue else {
        throw ErrorResponse.badRequest("The member attestation must be a JWK.")
      }
      wanted.attestation = object
    }
    return Self.answer(try await authority.certify(wanted, for: session.record, in: realm))
  }

  private func certifyHost(
    _ body: JSONObject, _ session: AuthenticatedSession, _ realm: String
  ) async throws -> Response {
    let days: Int
    switch body["days"] {
    case nil: days = SSHAuthority.standardHostDays
    case let given?:
      guard let number = given.integerValue.flatMap({ Int(exactly: $0) }) else {
        throw ErrorResponse.badRequest("The member days must be a number.")
      }
      days = number
    }
    return Self.answer(
      try await authority.certifyHost(
        try Self.publicKey(body), names: try Self.texts("names", of: body) ?? [], days: days, in: realm,
        by: session.actor))
  }

  private func revoke(
    _ body: JSONObject, _ session: AuthenticatedSession, _ realm: String
  ) async throws -> Response {
    let target: SSHRevocationTarget
    switch (try body.text("serial"), try body.text("username"), try body.text("publicKey")) {
    case (let text?, nil, nil):
      guard let serial = UInt64(text) else {
        throw ErrorResponse.badRequest("The member serial must be a number in a text.")
      }
      target = .serial(serial)
    case (nil, let name?, nil):
      target = .account(username: try AccountName.account(name, realm: realm).username)
    case (nil, nil, let line?): target = .key(line: line)
    default: throw ErrorResponse.badRequest("Send one of serial, username, publicKey.")
    }
    let count = try await authority.revoke(target, in: realm, by: session.actor)
    return .json(["revoked": .integer(Int64(count.total))])
  }

  private static func publicKey(_ body: JSONObject) throws(ErrorResponse) -> String {
    guard let line = try body.text("publicKey") else { throw .badRequest("Send the member publicKey.") }
    return line
  }

  private static func texts(_ name: String, of body: JSONObject) throws(ErrorResponse) -> [String]? {
    guard let value = body[name], !value.isNull else { return nil }
    guard let elements = value.arrayValue, elements.count <= 256 else {
      throw .badRequest("The member \(name) must be a list of at most 256 texts.")
    }
    let texts = elements.compactMap(\.stringValue)
    guard texts.count == elements.count else { throw .badRequest("The member \(name) must have texts.") }
    return texts
  }

  private static func answer(_ issued: IssuedSSHCertificate) -> Response {
    .json(
      [
        "certificate": .string(issued.line), "serial": .string(String(issued.serial)),
        "principals": .array(issued.principals.map { .string($0) }),
        "expiresAt": .string(issued.expiresAt.formatted(.iso8601)), "attested": .bool(issued.isAttested),
      ], status: .created)
  }
}
