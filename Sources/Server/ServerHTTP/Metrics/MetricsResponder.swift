internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
package import Operations
internal import WebAddresses

/// Answers `GET /metrics`, on a port of its own.
///
/// Nobody signs in there, so who reaches the port may read it. It holds no secrets and names no person, but it says how busy
/// the server is and which limits an attack has reached; therefore it listens on the loopback address unless told otherwise.
package struct MetricsResponder: HTTPResponder {
  package let metrics: PrometheusMetrics
  package let collect: @Sendable () async -> Void

  /// Whether only programs of this machine can reach the port. Then the request must name this machine too: a page in a browser
  /// here could otherwise read the answer under a name that it lets point to the loopback address.
  package let isLoopback: Bool

  package init(metrics: PrometheusMetrics, collect: @escaping @Sendable () async -> Void, isLoopback: Bool) {
    (self.metrics, self.collect, self.isLoopback) = (metrics, collect, isLoopback)
  }

  func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
    guard !isLoopback || Self.namesThisMachine(request.head.authority) else {
      return answer(.misdirectedRequest, "Ask under an address of this machine.\n")
    }
    guard request.uri.path == "/metrics" else { return answer(.notFound, "There is only /metrics.\n") }
    guard [.get, .head].contains(request.method) else {
      return answer(.methodNotAllowed, "Use GET.\n", [.allow: "GET, HEAD"])
    }
    await collect()
    return answer(.ok, metrics.text(), [.contentType: PrometheusMetrics.contentType])
  }

  private func answer(_ status: HTTPResponse.Status, _ text: String, _ more: HTTPFields = [:]) -> Response {
    var headers: HTTPFields = [
      .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
    ]
    for field in more { headers[field.name] = field.value }
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  /// An address, or `localhost`, with or without port.
  static func namesThisMachine(_ authority: String?) -> Bool {
    guard let authority else { return false }
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]"),
        ForwardedElement.isPort(authority[authority.index(after: end)...])
      else { return false }
      return IPAddress(authority[..<end].dropFirst())?.isLoopback == true
    }
    let colon = authority.firstIndex(of: ":") ?? authority.endIndex
    guard ForwardedElement.isPort(authority[colon...]) else { return false }
    let host = authority[..<colon]
    return host.lowercased() == "localhost" || IPAddress(host)?.isLoopback == true
  }
}
