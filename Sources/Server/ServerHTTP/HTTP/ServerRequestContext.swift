package import Hummingbird
internal import Logging
internal import NIOCore
internal import WebAddresses

/// What the server knows of a request beside the request itself.
package struct ServerRequestContext: RequestContext {
  package var coreContext: CoreRequestContextStorage

  /// The other end of the connection, possibly a proxy; `nil` for requests that come from no socket.
  let peer: IPAddress?

  /// The port that the connection came to, which the system may have chosen; `nil` for requests that come from no socket.
  let localPort: Int?

  /// Who sent the request. The responder sets it first of all; until then it is the ``peer``.
  var connection: ClientConnection

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    peer = source.channel.remoteAddress.flatMap(IPAddress.init)
    localPort = source.channel.localAddress?.port
    connection = ClientConnection(address: peer)
  }
}
