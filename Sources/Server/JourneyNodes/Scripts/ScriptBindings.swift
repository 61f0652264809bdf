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
    // Of several with one name the first counts, as everywhere.
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
    // What the server says of a session counts.
    properties["UserToken"] = .string(session.username)
    properties["AuthLevel"] = .string(String(session.authLevel))
    properties["authInstant"] = .string(session.authenticatedAt.formatted(.iso8601))
    properties["Service"] = session.service.map { .string($0) }
    return properties
  }
}
