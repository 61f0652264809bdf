internal import Hummingbird

extension BasePath {
  /// The request with its path translated to one below `/am`.
  ///
  /// Under another base path, nothing is at `/am` itself, however it is spelled.
  func inner(_ request: Request) -> Request {
    guard self != .standard else { return request }
    var head = request.head
    let query = request.uri.query.map { "?\($0)" } ?? ""
    head.path = inner(request.uri.path) + query
    return Request(head: head, body: request.body)
  }
}
