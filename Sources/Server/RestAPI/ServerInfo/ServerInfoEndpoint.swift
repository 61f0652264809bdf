internal import Hummingbird
internal import JourneyFiles
internal import ProductVersion
internal import ServerHTTP
internal import StrictJSON

/// `/serverinfo/…`: what clients may know of the server before they sign in.
struct ServerInfoEndpoint: Endpoint {
  let sessions: SessionAuthority

  var routes: [Route] { [Route(reading: "serverinfo/:id", admission: .address, read)] }

  private func read(_ request: Request, in context: ResourceContext) throws -> Response {
    let id = context.id
    switch id {
    case "*": return .json(information(context).identified(by: id))
    case "version":
      let version: JSONObject = [
        "version": .string(ProductVersion.text), "fullVersion": .string("Sealring \(ProductVersion.text)"),
        "revision": "", "date": "",
      ]
      return .json(version.identified(by: id))
    case "cookieDomains": return .json((["domains": []] as JSONObject).identified(by: id))
    default: throw ErrorResponse.notFound("There is no such resource.")
    }
  }

  private func information(_ context: ResourceContext) -> JSONObject {
    [
      "domains": [], "protectedUserAttributes": [], "cookieName": .string(sessions.cookieName),
      "secureCookie": .bool(sessions.cookieAttributes(for: context.connection).isSecure),
      "forgotPassword": "false", "forgotUsername": "false",
      "kbaEnabled": "false", "selfRegistration": "false", "lang": "en-US",
      "successfulUserRegistrationDestination": "default", "socialImplementations": [],
      "referralsEnabled": "false",
      "zeroPageLogin": ["enabled": true, "refererWhitelist": [], "allowedWithoutReferer": true],
      "realm": .string(context.realm.realmPath), "xuiUserSessionValidationEnabled": true,
      "fileBasedConfiguration": false, "userIdAttributes": [],
    ]
  }
}
