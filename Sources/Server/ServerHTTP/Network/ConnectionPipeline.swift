package import Foundation
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdHTTP2
internal import NIOCore
package import Operations

/// The settings of every connection, whether plain or TLS, HTTP/1.1 or HTTP/2.
package struct ConnectionPipeline: Sendable {
  package let limits: ServerLimits
  package let drain: Drain
  package var metrics = ServerMetrics.none

  /// How long HTTP/2 clients have to end their streams when the server shuts down.
  package let closingTime: TimeInterval

  package init(
    limits: ServerLimits, drain: Drain, metrics: ServerMetrics = ServerMetrics.none, closingTime: TimeInterval
  ) {
    (self.limits, self.drain, self.metrics, self.closingTime) = (limits, drain, metrics, closingTime)
  }

  /// How long a client may take for the TLS handshake.
  static let handshakeTimeout = TimeAmount.seconds(10)

  /// The configuration of each HTTP/1.1 connection, and of each HTTP/2 stream, whose headers swift-nio-http2 bounds at 16 KiB.
  var http1: HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        ClosingAnswers(drain: drain), RequestDeadlines(limits: limits, metrics: metrics),
      ],
      idleTimeout: TimeAmount(seconds: limits.idleTime),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: limits.headerFieldBytes, maxHeaderListSize: limits.headerBytes,
        maxHeaderFieldCount: limits.headerFields))
  }

  var http2: HTTP2Channel.Configuration {
    HTTP2Channel.Configuration(
      idleTimeout: .seconds(limits.idleTime), gracefulCloseTimeout: .seconds(max(1, closingTime)),
      streamConfiguration: http1)
  }
}

extension TimeAmount {
  init(seconds: TimeInterval) { self = .milliseconds(Int64(seconds * 1000)) }
}
