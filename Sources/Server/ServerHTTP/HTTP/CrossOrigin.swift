package import HTTPTypes
package import Hummingbird

/// Tells browsers what pages of other origins may do here (CORS, Fetch §3.2).
///
/// It lets nobody in by itself: each request needs its session, token or password all the same. Pages that are not allowed get the
/// answers of a server without CORS, which browsers keep from them.
package struct CrossOrigin: Sendable {
  package let rules: CheckedCrossOriginRules

  /// The session's header, which apps send in place of the cookie.
  package let sessionHeader: String

  package init(rules: CheckedCrossOriginRules, sessionHeader: String) {
    (self.rules, self.sessionHeader) = (rules, sessionHeader)
  }

  private enum Name {
    static let requestMethod = HTTPField.Name("Access-Control-Request-Method")
    static let requestHeaders = HTTPField.Name("Access-Control-Request-Headers")
    static let allowOrigin = HTTPField.Name("Access-Control-Allow-Origin")
    static let allowMethods = HTTPField.Name("Access-Control-Allow-Methods")
    static let allowHeaders = HTTPField.Name("Access-Control-Allow-Headers")
    static let allowCredentials = HTTPField.Name("Access-Control-Allow-Credentials")
    static let exposeHeaders = HTTPField.Name("Access-Control-Expose-Headers")
    static let maxAge = HTTPField.Name("Access-Control-Max-Age")
  }

  /// Whether pages of other origins may use what is at `path` at all: journeys, REST, OpenID Connect; not this server's pages.
  private static func isShared(_ path: String) -> Bool {
    ["/am/json/", "/am/oauth2", "/.well-known/"].contains { path.hasPrefix($0) }
  }

  /// The answer to a browser that asks before it sends a request; `nil` for any other request, and for a page that may not.
  func preflight(_ request: Request, realm: String, methods: [HTTPRequest.Method]) -> Response? {
    guard rules.isUsed, Self.isShared(request.uri.path), request.method == .options,
      let asked = Name.requestMethod.flatMap({ request.headers[$0] }), let origin = Self.origin(of: request),
      let allowed = rules.allowed(origin, realm: realm),
      rules.rules.methods.contains(asked), methods.contains(where: { $0.rawValue == asked })
    else { return nil }
    let known = headers
    let wanted = Self.list(Name.requestHeaders.flatMap { request.headers[$0] } ?? "")
    // All or nothing: a browser refuses the request anyway when one is missing.
    guard wanted.allSatisfy({ name in known.contains { $0.lowercased() == name.lowercased() } }) else {
      return nil
    }
    var answer = HTTPFields()
    Self.set(Name.allowOrigin, allowed, in: &answer)
    Self.set(Name.allowMethods, rules.rules.methods.joined(separator: ", "), in: &answer)
    Self.set(Name.allowHeaders, known.joined(separator: ", "), in: &answer)
    Self.set(Name.maxAge, String(rules.rules.maximumAge), in: &answer)
    if rules.rules.allowsCredentials { Self.set(Name.allowCredentials, "true", in: &answer) }
    return Response(status: .noContent, headers: answer)
  }

  /// Adds to an answer whether the page that asked may read it. A shared cache must not give it to another's page.
  package func mark(_ headers: inout HTTPFields, of request: Request, realm: String) {
    guard rules.isUsed, Self.isShared(request.uri.path) else { return }
    headers[.vary] = headers[.vary].map { $0 + ", Origin" } ?? "Origin"
    guard let origin = Self.origin(of: request), let allowed = rules.allowed(origin, realm: realm) else {
      return
    }
    Self.set(Name.allowOrigin, allowed, in: &headers)
    if rules.rules.allowsCredentials { Self.set(Name.allowCredentials, "true", in: &headers) }
    let exposed = CrossOriginRules.standardExposedHeaders + rules.rules.exposedHeaders
    Self.set(Name.exposeHeaders, exposed.joined(separator: ", "), in: &headers)
  }

  private var headers: [String] {
    CrossOriginRules.standardHeaders + [sessionHeader] + rules.rules.headers
  }

  /// The one origin of a request; several are none.
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

  private static func set(_ name: HTTPField.Name?, _ value: String, in headers: inout HTTPFields) {
    if let name { headers[name] = value }
  }
}
