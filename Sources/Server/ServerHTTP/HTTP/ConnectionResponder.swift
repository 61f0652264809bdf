internal import Concurrency
package import Hummingbird

/// Answers the requests of a connection by ``ServerResponder``, so that the connection's task stays small while its client listens.
///
/// A task keeps the room of the deepest call that it has made until it ends, and the connection's task goes on for as long as a stream does. So
/// requests that may begin a stream are answered by a task that ends before the stream begins, and what is called on the way to that takes
/// little: values of many words would be copied into the call's room, hence a class.
package final class ConnectionResponder: HTTPResponder {
  private let responder: ServerResponder

  package init(_ responder: ServerResponder) { self.responder = responder }

  package func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
    guard responder.routes.mayBeStream(path: request.uri.path) else {
      return try await responder.respond(to: request, context: context)
    }
    return try await inOwnTask { [self] in try await responder.respond(to: request, context: context) }
  }
}
