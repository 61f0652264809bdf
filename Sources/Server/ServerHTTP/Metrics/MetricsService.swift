internal import Concurrency
internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import Operations
internal import ServiceLifecycle

/// Serves the metrics until the server has stopped.
package struct MetricsService: Service, CustomStringConvertible {
  package let responder: MetricsResponder
  package let pipeline: ConnectionPipeline
  package let host: String
  package let port: Int
  package let logger: Logger

  /// Receives the port that is listened on.
  package let onListening: @Sendable (_ port: Int) async -> Void

  package init(
    responder: MetricsResponder, pipeline: ConnectionPipeline, host: String, port: Int, logger: Logger,
    onListening: @escaping @Sendable (_ port: Int) async -> Void
  ) {
    self.responder = responder
    self.pipeline = pipeline
    self.host = host
    self.port = port
    self.logger = logger
    self.onListening = onListening
  }

  /// Connections open at once. Beyond them the one that has waited longest is closed.
  private static let connections = 64

  package func run() async throws {
    let gate = ConnectionGate(
      maximum: Self.connections, maximumPerAddress: Self.connections, address: { _ in nil },
      now: { .now })
    let application = Application(
      responder: responder,
      server: HTTPServerBuilder { [pipeline] responder in
        AcceptedConnections(pipeline: pipeline, gate: gate, certificate: nil, responder: responder)
      },
      configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil),
      onServerRunning: { [onListening, port] channel in
        await onListening(channel.localAddress?.port ?? port)
      }, logger: logger)
    do { try await application.run() } catch let error as IOError {
      throw ServerSetupError(
        "The metrics cannot be served on \(host):\(port): \(error). Choose another --metrics-host or --metrics-port."
      )
    }
  }

  package var description: String { "MetricsService" }
}
