internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import Operations
internal import ServerHTTP
internal import ServiceLifecycle

/// Serves the metrics until the server has stopped.
struct MetricsService: Service, CustomStringConvertible {
  let responder: MetricsResponder
  let pipeline: ConnectionPipeline
  let host: String
  let port: Int
  let logger: Logger

  /// Receives the port that is listened on.
  let onListening: @Sendable (_ port: Int) async -> Void

  /// Connections open at once. Beyond them the one that has waited longest is closed.
  private static let connections = 64

  func run() async throws {
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

  var description: String { "MetricsService" }
}
