package import HTTPTypes
package import Hummingbird

/// Tells browsers what pages of other origins may do here (CORS, Fetch §3.2).
///
/// CORS lets nobody in by itself: each request still needs its session, token or password. Pages that are not allowed get the answers of a
/// server without CORS, which browsers keep from them.
package struct CrossOrigin: Sendable {
  package let rules: CheckedCrossOriginRules

  /// The session's header, which apps send in place of the cookie.
  package let sessionHeader: String

  package init(rules: CheckedCrossOriginRules, sessionHeader: String) {
    (self.rules, self.sessionHeader) = (rules, sessionHeader)
  }

  /// Whether pages of other origins may use what is at `path` at all: journeys, REST, OpenID Connect; not this server's pages.
  private static func isShared(_ path: String) -> Bool {
    ["/am/json/", "/am/oauth2", "/.well-known/"].contains { path.hasPrefix($0) }
  }

  /// The answer to a preflight request; `nil` for any other request, and for a page that is not allowed.
  func preflight(_ request: Request, realm: String, methods: [HTTPRequest.Method]) -> Response? {
    guard rules.isUsed, Self.isShared(request.uri.path), request.method == .options,
      let asked = request.headers[.accessControlRequestMethod], let origin = Self.origin(of: request),
      let allowed = rules.allowed(origin, realm: realm),
      rules.rules.methods.contains(asked), methods.contains(where: { $0.rawValue == asked })
    else { return nil }
    let known = headers
    let wanted = Self.list(request.headers[.accessControlRequestHeaders] ?? "")
    // All or nothing: a browser refuses the request anyway when one is missing.
    guard wanted.allSatisfy({ name in known.contains { $0.lowercased() == name.lowercased() } }) else {
      return nil
    }
    var answer: HTTPFields = [
      .accessControlAllowOrigin: allowed,
      .accessControlAllowMethods: rules.rules.methods.joined(separator: ", "),
      .accessControlAllowHeaders: known.joined(separator: ", "),
      .accessControlMaxAge: String(rules.rules.maximumAge),
    ]
    if rules.rules.allowsCredentials { answer[.accessControlAllowCredentials] = "true" }
    return Response(status: .noContent, headers: answer)
  }

  /// Adds headers that tell whether the requesting page may read the answer. A shared cache must not give it to another origin's page.
  package func mark(_ headers: inout HTTPFields, of request: Request, realm: String) {
    guard rules.isUsed, Self.isShared(request.uri.path) else { return }
    headers[.vary] = headers[.vary].map { $0 + ", Origin" } ?? "Origin"
    guard let origin = Self.origin(of: request), let allowed = rules.allowed(origin, realm: realm) else {
      return
    }
    headers[.accessControlAllowOrigin] = allowed
    if rules.rules.allowsCredentials { headers[.accessControlAllowCredentials] = "true" }
    let exposed = CrossOriginRules.standardExposedHeaders + rules.rules.exposedHeaders
    headers[.accessControlExposeHeaders] = exposed.joined(separator: ", ")
  }

  private var headers: [String] {
    CrossOriginRules.standardHeaders + [sessionHeader] + rules.rules.headers
  }

  /// The origin of a request; `nil` when it has none or several.
  private static func origin(of request: Request) -> String? {
    let values = request.headers[values: .origin]
    return values.count == 1 ? values[0] : nil
  }

  private static func list(_ text: String) -> [String] {
    guard text.utf8.count <= 4096 else { return ["*"] }
    return text.split(separator: ",").map { String($0.filter { $0 != " " && $0 != "\t" }) }.filter {
      !$0.isEmpty
    }
  }
}
