internal import Concurrency
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdHTTP2
internal import Logging
internal import NIOCore
internal import NIOSSL

/// Sets up the connections that the server accepts: plain HTTP/1.1, or TLS with the current certificate and HTTP/2 or HTTP/1.1
/// as the client chooses. The ``ConnectionGate`` admits them, and a ``ConnectionGuard`` watches them.
struct AcceptedConnections: ServerChildChannel {
  enum Value: ServerChildChannelValue {
    case plain(HTTP1Channel.Value)
    case secured(HTTP2UpgradeChannel.Value)

    var channel: any Channel {
      switch self {
      case .plain(let value): value.channel
      case .secured(let value): value.channel
      }
    }
  }

  /// There are too many connections.
  private struct Refused: Error {}

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
  init(
    pipeline: ConnectionPipeline, gate: ConnectionGate, certificate: ServerCertificate?,
    responder: @escaping HTTPChannelHandler.Responder
  ) {
    self.pipeline = pipeline
    self.gate = gate
    self.certificate = certificate
    self.responder = responder
    plain = HTTP1Channel(responder: responder, configuration: pipeline.http1)
    secured = Locked(nil)
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    guard gate.admit(channel, logger: logger) else {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(Refused())
    }
    do {
      try channel.pipeline.syncOperations.addHandler(
        ConnectionGuard(gate: gate, headTime: pipeline.limits.headTime))
      guard let certificate else {
        return plain.setup(channel: channel, logger: logger).map(Value.plain)
      }
      let ready = try securedChannel(certificate).setup(channel: channel, logger: logger)
      let tls = try channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
      try channel.pipeline.syncOperations.addHandler(
        HandshakeDeadline(ConnectionPipeline.handshakeTimeout), position: .after(tls))
      return ready.map(Value.secured)
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
  }

  func handle(value: Value, logger: Logger) async {
    switch value {
    case .plain(let value): await plain.handle(value: value, logger: logger)
    case .secured(let value):
      // All of them pass requests to the same responder; the certificate that the connection began with does not matter now.
      guard let channel = secured.withLock({ $0?.channel }) else { return }
      await channel.handle(value: value, logger: logger)
    }
  }

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
