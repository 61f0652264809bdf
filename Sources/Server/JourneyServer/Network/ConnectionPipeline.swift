internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdHTTP2
internal import NIOCore

/// The pipeline of every connection, whether plain or TLS, HTTP/1.1 or HTTP/2.
struct ConnectionPipeline: Sendable {
  /// Handlers on the bytes of each accepted connection, before TLS. Runs on the connection's event loop.
  var connectionHandlers: @Sendable (any Channel) -> [any ChannelHandler] = { _ in [] }

  /// Handlers on the parts of requests and answers: of each HTTP/1.1 connection, and of each HTTP/2 stream.
  var requestHandlers: @Sendable () -> [any RemovableChannelHandler] = { [] }

  /// Bounds of HTTP/1.1's headers. HTTP/2's are swift-nio-http2's: 16 KiB.
  var headers = HTTP1Channel.Configuration.DecoderConfiguration()

  /// Connections that send nothing for this long are closed.
  var idleTimeout = TimeAmount.seconds(75)

  /// How long a client may take for the TLS handshake.
  var handshakeTimeout = TimeAmount.seconds(10)

  /// How long HTTP/2 clients have to end their streams when the server shuts down.
  var closingTimeout = Duration.seconds(5)

  var http1: HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(
      additionalChannelHandlers: requestHandlers(), idleTimeout: idleTimeout,
      httpDecoderConfiguration: headers)
  }

  var http2: HTTP2Channel.Configuration {
    HTTP2Channel.Configuration(
      idleTimeout: Duration(idleTimeout), gracefulCloseTimeout: closingTimeout, streamConfiguration: http1)
  }
}
