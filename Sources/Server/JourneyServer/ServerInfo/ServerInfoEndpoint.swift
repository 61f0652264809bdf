internal import Hummingbird
internal import ProductVersion
internal import StrictJSON

/// `/serverinfo/…`: what clients may know of the server before they sign in.
struct ServerInfoEndpoint: Sendable {
  let sessions: SessionAuthority

  func respond(
    to request: Request, id: String, realm: String, context: ServerRequestContext
  ) throws -> Response {
    guard request.method == .get else { throw ErrorResponse.methodNotAllowed([.get]) }
    switch id {
    case "*": return .json(information(realm: realm, context: context).identified(by: id))
    case "version":
      let version: JSONObject = [
        "version": .string(ProductVersion.text), "fullVersion": .string("Sealring \(ProductVersion.text)"),
        "revision": "",
        "date": "",
      ]
      return .json(version.identified(by: id))
    case "cookieDomains": return .json((["domains": []] as JSONObject).identified(by: id))
    default: throw ErrorResponse.notFound("There is no such resource.")
    }
  }

  private func information(realm: String, context: ServerRequestContext) -> JSONObject {
    [
      "domains": [], "protectedUserAttributes": [], "cookieName": .string(sessions.cookieName),
      "secureCookie": .bool(sessions.cookieAttributes(for: context.connection).isSecure),
      "forgotPassword": "false", "forgotUsername": "false",
      "kbaEnabled": "false", "selfRegistration": "false", "lang": "en-US",
      "successfulUserRegistrationDestination": "default", "socialImplementations": [],
      "referralsEnabled": "false",
      "zeroPageLogin": ["enabled": true, "refererWhitelist": [], "allowedWithoutReferer": true],
      "realm": .string(realm.realmPath), "xuiUserSessionValidationEnabled": true,
      "fileBasedConfiguration": false, "userIdAttributes": [],
    ]
  }
}
