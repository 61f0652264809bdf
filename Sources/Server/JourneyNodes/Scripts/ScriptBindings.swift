internal import Foundation
internal import JourneyEngine
internal import StrictJSON

/// A script's bindings, in the form that the workers' prelude reads.
struct ScriptBindings {
  private(set) var json: JSONObject

  /// - Parameters:
  ///   - properties: those of the session that the client presented.
  ///   - nodeProperties: those of a designed node; `nil` for all others, which have no such binding.
  init(
    context: NodeContext, inputs: StateNames, cookieName: String, properties: JSONObject = [:],
    ofNode nodeProperties: JSONObject? = nil
  ) {
    let request = context.request
    func visible(_ state: JSONObject) -> JSONValue {
      inputs.isAll
        ? .object(state) : .object(JSONObject(state.filter { inputs.contains($0.name) }.map { ($0, $1) }))
    }
    let visibility = ScriptVisibility(cookieName: cookieName)
    let headers = request.headers.filter { visibility.showsHeader($0.key) }
      .map { ($0.key, JSONValue.array([.string($0.value)])) }
    // Reversed, so that of several cookies with one name the first counts, as everywhere.
    let cookies = CookieHeader(request.headers["cookie"]).cookies.filter(visibility.showsCookie).reversed()
    json = [
      // Secure state is not among them.
      "shared": visible(context.state.shared), "transient": visible(context.state.transient),
      "callbacks": Self.answers(context), "headers": .object(JSONObject(headers)),
      "parameters": .object(
        JSONObject(request.parameters.map { ($0, .array($1.map(JSONValue.string))) })),
      "cookies": .object(JSONObject(cookies.map { ($0.name, .string($0.value)) })),
      "session": context.session.map { .object(Self.properties(of: $0, properties)) } ?? .null,
      "resumed": .bool(context.isResumed),
      "realm": .string(request.realm == "root" ? "/" : "/\(request.realm)"),
      "cookieName": .string(cookieName),
    ]
    json["nodeProperties"] = nodeProperties.map { .object($0) }
  }

  /// The script's callbacks with the client's answers. As in PingAM, callbacks that the client has not sent back are missing: SDKs
  /// leave out texts of type 4, which hold scripts for pages.
  private static func answers(_ context: NodeContext) -> JSONValue {
    guard let reply = context.reply, let asked = context.notes["asked"]?.arrayValue else { return [] }
    return .array(
      zip(asked, reply.callbacks).enumerated().filter { !reply.omitted.contains($0.offset) }.map {
        let (asked, answer) = $0.element
        return [
          "type": asked["type"] ?? "", "outputs": asked["outputs"] ?? [],
          "reply": .object(JSONObject(answer.map { ($0, $1) })),
        ]
      })
  }

  private static func properties(of session: PresentedSession, _ kept: JSONObject) -> JSONObject {
    var properties = kept
    // The server's own values take precedence.
    properties["UserToken"] = .string(session.username)
    properties["AuthLevel"] = .string(String(session.authLevel))
    properties["authInstant"] = .string(session.authenticatedAt.formatted(.iso8601))
    properties["Service"] = session.service.map { .string($0) }
    return properties
  }
}

/// Hides from scripts everything in a request that signs somebody in.
///
/// All realms share one host, so a browser sends each realm's cookies to every journey. A script of one realm that could read them would
/// get the sessions of another realm's administrators.
struct ScriptVisibility: Sendable {
  /// The name of the session's cookie, in lower case; a header of that name carries a session, too.
  private let cookieName: String

  init(cookieName: String) { self.cookieName = Self.bare(cookieName) }

  /// Headers that only the server reads. The two of PingAM carry a password, `cookie` all cookies, the others sessions, tokens or
  /// passwords.
  private static let withheldHeaders: Set<String> = [
    "x-openam-username", "x-openam-password", "cookie", "cookie2", "authorization", "proxy-authorization",
    "dpop",
  ]

  /// The beginning of the names of this server's own cookies, such as that of known devices.
  private static let ownPrefix = "sealring-"

  /// - Parameter name: in lower case.
  func showsHeader(_ name: String) -> Bool {
    !Self.withheldHeaders.contains(name) && Self.bare(name) != cookieName
  }

  /// Journeys choose the names of persistent cookies, so these are recognised by their content.
  func showsCookie(_ cookie: (name: String, value: String)) -> Bool {
    let name = Self.bare(cookie.name)
    return name != cookieName && !name.hasPrefix(Self.ownPrefix)
      && !PersistentCookies.isOfForm(cookie.value)
  }

  /// The name in lower case, without the prefixes that browsers know (RFC 6265bis §4.1.3).
  private static func bare(_ name: String) -> String {
    var name = name.lowercased()[...]
    for prefix in ["__host-", "__secure-"] where name.hasPrefix(prefix) {
      name = name.dropFirst(prefix.count)
    }
    return String(name)
  }
}
