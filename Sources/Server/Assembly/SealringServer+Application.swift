internal import Concurrency
package import Hummingbird
internal import HummingbirdCore
internal import JourneyFiles
internal import JourneyStore
internal import Logging
internal import OpenIDProvider
internal import Operations
internal import PushService
internal import PushTransports
internal import SecurityEvents
package import ServerHTTP
internal import ServiceLifecycle
internal import StrictJSON
internal import UnixSignals

extension SealringServer {
  private func noteStart(port: Int) async {
    var detail: JSONObject = [
      "host": .string(configuration.host), "port": .integer(Int64(port)),
      "tls": .bool(configuration.tls != nil),
      "realms": .array(realms.names.map { .string($0) }),
      "weaknesses": .array(advice.map { .string($0) }),
    ]
    if let url = configuration.publicURL { detail["publicUrl"] = .string(url) }
    await events.note(SecurityEvent(.serverStarted, detail: detail))
  }

  /// The server as a Hummingbird application; tests use it without a socket.
  ///
  /// - Parameter ownsProcess: whether SIGHUP, which is the whole process's, reloads the certificate.
  package func application(
    ownsProcess: Bool = false, onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
  ) -> Application<ServerResponder> {
    let (certificate, gate, listeningPort) = (certificate, gate, foundation.listeningPort)
    let pipeline = ConnectionPipeline(
      limits: configuration.limits, drain: drain, metrics: metrics, closingTime: configuration.drainTime)
    return Application(
      responder: responder,
      server: HTTPServerBuilder { responder in
        AcceptedConnections(
          pipeline: pipeline, gate: gate, certificate: certificate, responder: responder)
      },
      configuration: ApplicationConfiguration(
        address: .hostname(configuration.host, port: configuration.port), serverName: nil),
      services: parts.flatMap(\.backgroundServices)
        + (certificate.map { [CertificateRenewal(certificate: $0, signals: ownsProcess ? [.sighup] : [])] }
          ?? []),
      onServerRunning: { [configuration] channel in
        let port = channel.localAddress?.port ?? configuration.port
        listeningPort.withLock { $0 = port }
        await noteStart(port: port)
        await onListening(port)
      },
      logger: configuration.logger)
  }
}
