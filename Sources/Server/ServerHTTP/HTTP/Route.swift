package import HTTPTypes
package import Hummingbird

/// A resource: its path, the handlers of its methods, and what the server checks before and reports after them.
///
/// Only the route lists a resource's methods: all others are answered with 405, and `Allow` lists these.
package struct Route: Sendable {
  package typealias Handler = @Sendable (Request, ResourceContext) async throws -> Response

  /// Who is charged for a request, and what lets it pass when the address has no requests left.
  package enum Admission: Sendable {
    /// The address, whatever the request carries.
    case address

    /// The address, unless the request carries a valid session.
    case session

    /// The address, unless the request carries a valid session or something else that its address cannot forge.
    case proof(@Sendable (_ request: Request, _ realm: String) async throws -> Bool)

    /// The resource charges by its own rules: here, where it refuses by throwing, or while it answers.
    case own(@Sendable (_ address: String) throws -> Void)
  }

  /// The path's segments. One that starts with a colon stands for any, and names it.
  let pattern: [String]

  /// The path as a pattern, such as `/am/json/{realm}/users/{user}`, which names the resource in metrics and traces.
  package let template: String

  /// Whether the pattern is the whole path. If not, it stands below `/am`, ``base`` and the realm.
  let isWholePath: Bool

  /// `json`, or `oauth2` for OpenID Connect.
  package let base: String

  /// Whether bodies are forms, which any site can send: such a resource takes no change from a cookie alone.
  package let takesForms: Bool

  /// The handlers, in the order of `Allow`.
  private(set) var handlers: [(method: HTTPRequest.Method, handler: Handler)]

  /// The most bytes of a request's body.
  package let bodyLimit: any KeyPath<ServerLimits, Int> & Sendable
  package let admission: Admission

  /// Whether refusals are reported as security events. Journeys report their own, which say more.
  package let reportsRefusals: Bool

  /// Whether an answer lasts as long as the client listens.
  package let isStream: Bool

  /// - Parameters:
  ///   - path: a whole path if it starts with `/`.
  ///   - base: what stands between `/am` and the realm.
  package init(
    _ path: String, _ handlers: KeyValuePairs<HTTPRequest.Method, Handler>,
    bodyLimit: any KeyPath<ServerLimits, Int> & Sendable = \.body, admission: Admission = .session,
    reportsRefusals: Bool = true, below base: String = "json", takesForms: Bool = false,
    isStream: Bool = false
  ) {
    pattern = path.split(separator: "/").map(String.init)
    isWholePath = path.hasPrefix("/")
    let segments = pattern.map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : $0 }
    template = "/" + ((isWholePath ? [] : ["am", base, "{realm}"]) + segments).joined(separator: "/")
    self.handlers = handlers.map { ($0.key, $0.value) }
    self.bodyLimit = bodyLimit
    self.admission = admission
    self.reportsRefusals = reportsRefusals
    self.base = base
    self.takesForms = takesForms
    self.isStream = isStream
  }

  /// A resource that can only be read.
  package init(
    reading path: String, admission: Admission = .session, isStream: Bool = false,
    _ handler: @escaping Handler
  ) {
    self.init(path, [.get: handler], admission: admission, isStream: isStream)
  }

  /// A page, of which browsers and monitors also ask for the head.
  package init(page path: String, _ handler: @escaping Handler) {
    self.init(path, [.get: handler, .head: Self.head(of: handler)], admission: .address)
  }

  /// The answer of `handler` without its body.
  package static func head(of handler: @escaping Handler) -> Handler {
    { request, context in
      var response = try await handler(request, context)
      response.body = ResponseBody()
      return response
    }
  }

  /// The same resource with other handlers, made of its own.
  package func with(_ change: (@escaping Handler) -> Handler) -> Route {
    var route = self
    route.handlers = handlers.map { ($0.method, change($0.handler)) }
    return route
  }

  /// - Throws: 405 when the resource does not have the method.
  package func handler(of method: HTTPRequest.Method) throws(ErrorResponse) -> Handler {
    guard let found = handlers.first(where: { $0.method == method }) else {
      throw .methodNotAllowed(handlers.map(\.method))
    }
    return found.handler
  }

  /// The path's variable segments by name; `nil` when the path is another resource's.
  package func parameters(of segments: ArraySlice<String>) -> [String: String]? {
    guard segments.count == pattern.count else { return nil }
    var parameters: [String: String] = [:]
    for (expected, segment) in zip(pattern, segments) {
      if expected.hasPrefix(":") {
        parameters[String(expected.dropFirst())] = segment
      } else if expected != segment {
        return nil
      }
    }
    return parameters
  }
}

/// Answers the requests for one resource, or for several that belong together.
package protocol Endpoint: Sendable {
  var routes: [Route] { get }
}
