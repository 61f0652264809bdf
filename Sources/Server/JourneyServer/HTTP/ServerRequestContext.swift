package import Hummingbird
internal import Logging
internal import NIOCore

/// What the server knows of a request beside the request itself.
package struct ServerRequestContext: RequestContext {
  package var coreContext: CoreRequestContextStorage

  /// The other end of the connection; `nil` for requests that come from no socket.
  let peer: SocketAddress?

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    peer = source.channel.remoteAddress
  }

  /// The peer's address without port, for logs and rate limits; empty when there is none.
  var clientAddress: String { peer?.ipAddress ?? "" }

  /// Under which the address's limits count.
  var limitKey: String { clientAddress }
}
