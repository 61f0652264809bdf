internal import HTTPTypes
package import Hummingbird
package import Operations
internal import WebAddresses

/// Answers `GET /metrics`, on a port of its own.
///
/// There is no sign-in, so anyone who reaches the port may read the metrics. They hold no secrets and name no person, but they show how
/// busy the server is and which limits an attack has reached. So the port is on the loopback address unless configured otherwise.
package struct MetricsResponder: HTTPResponder {
  package let metrics: PrometheusMetrics
  package let collect: @Sendable () async -> Void

  /// Whether only programs of this machine can reach the port. Then the request must also name this machine: otherwise a page in a browser
  /// here could read the answer under a name that it points to the loopback address.
  package let isLoopback: Bool

  package init(metrics: PrometheusMetrics, collect: @escaping @Sendable () async -> Void, isLoopback: Bool) {
    (self.metrics, self.collect, self.isLoopback) = (metrics, collect, isLoopback)
  }

  package func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
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
    var headers: HTTPFields = [.cacheControl: "no-store", .xContentTypeOptions: "nosniff"]
    for field in more { headers[field.name] = field.value }
    return .file(
      headers[.contentType] ?? "text/plain; charset=utf-8", Array(text.utf8), headers: headers, status: status
    )
  }

  /// An address, or `localhost`, with or without port.
  static func namesThisMachine(_ authority: String?) -> Bool {
    guard let authority, let host = ForwardedElement.host(of: authority[...]) else { return false }
    return host.lowercased() == "localhost" || IPAddress(host)?.isLoopback == true
  }
}
