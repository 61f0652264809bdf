internal import Concurrency
internal import Hummingbird
package import HummingbirdCore
internal import HummingbirdHTTP2
package import Logging
package import NIOCore
internal import NIOSSL

/// Sets up the connections that the server accepts: plain HTTP/1.1, or TLS with the current certificate and HTTP/2 or HTTP/1.1
/// as the client chooses. The ``ConnectionGate`` admits them, and a ``ConnectionGuard`` watches them.
package struct AcceptedConnections: ServerChildChannel {
  /// There are too many connections.
  private struct Refused: Error {}

  /// The connection was given to nobody; what it sent is not answered.
  private struct Abandoned: Error {}

  private let pipeline: ConnectionPipeline
  private let gate: ConnectionGate
  private let responder: HTTPChannelHandler.Responder
  private let plain: HTTP1Channel
  private let certificate: ServerCertificate?

  /// Created anew for each certificate.
  private let secured: Locked<Secured?>

  private struct Secured: Sendable {
    let version: Int
    let channel: HTTP2UpgradeChannel
  }

  /// - Parameter certificate: `nil` for plain HTTP.
  package init(
    pipeline: ConnectionPipeline, gate: ConnectionGate, certificate: ServerCertificate?,
    responder: @escaping HTTPChannelHandler.Responder
  ) {
    self.pipeline = pipeline
    self.gate = gate
    self.certificate = certificate
    let responder: HTTPChannelHandler.Responder = { request, writer, channel in
      if AcceptedConnection.isAbandoned { throw Abandoned() }
      try await responder(request, writer, channel)
    }
    self.responder = responder
    plain = HTTP1Channel(responder: responder, configuration: pipeline.http1)
    secured = Locked(nil)
  }

  package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
    guard gate.admit(channel, logger: logger) else {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(Refused())
    }
    do {
      try channel.pipeline.syncOperations.addHandler(
        ConnectionGuard(
          gate: gate, headTime: pipeline.limits.headTime, idleTime: pipeline.limits.idleTime,
          metrics: pipeline.metrics))
      guard let certificate else {
        return plain.setup(channel: channel, logger: logger).map { [plain] value in
          AcceptedConnection(channel: channel) { await plain.handle(value: value, logger: logger) }
        }
      }
      let secured = try securedChannel(certificate)
      let ready = secured.setup(channel: channel, logger: logger)
      let tls = try channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
      try channel.pipeline.syncOperations.addHandler(
        HandshakeDeadline(ConnectionPipeline.handshakeTimeout), position: .after(tls))
      return ready.map { value in
        AcceptedConnection(channel: channel) {
          await AcceptedConnection.closingBeforeCancellation(of: channel) {
            await secured.handle(value: value, logger: logger)
          }
        }
      }
    } catch {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(error)
    }
  }

  package func handle(value: AcceptedConnection, logger: Logger) async { await value.serve() }

  private func securedChannel(_ certificate: ServerCertificate) throws -> HTTP2UpgradeChannel {
    let current = certificate.current
    return try secured.withLock { known in
      if let known, known.version == current.version { return known.channel }
      let channel = try HTTP2UpgradeChannel(
        tlsConfiguration: current.configuration, configuration: pipeline.http2, responder: responder)
      known = Secured(version: current.version, channel: channel)
      return channel
    }
  }
}
