package import Hummingbird
internal import Logging
internal import NIOCore

/// What the server knows of a request beside the request itself.
package struct ServerRequestContext: RequestContext {
  package var coreContext: CoreRequestContextStorage

  /// The other end of the connection, a proxy maybe; `nil` for requests that come from no socket.
  let peer: IPAddress?

  /// Who sent the request. The responder sets it first of all; until then it is the ``peer``.
  var connection: ClientConnection

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    peer = source.channel.remoteAddress.flatMap(IPAddress.init)
    connection = ClientConnection(address: peer)
  }

  /// The client's address without port, for logs and for people; empty when there is none.
  var clientAddress: String { connection.address?.description ?? "" }

  /// What limits count the client by: its address, of IPv6 the /64; empty when there is none.
  var limitKey: String { connection.address?.limitKey ?? "" }
}
