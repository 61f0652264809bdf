package import Hummingbird

/// Writes refusals in the form and the language of those who asked: pages for people, JSON for programs.
package protocol RefusalWriter: Sendable {
  /// - Parameter requestID: the id under which the operator's log has the reason.
  func response(to request: Request, refusing answer: ErrorResponse, requestID: String) -> Response
}
