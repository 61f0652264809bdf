internal import ServerHTTP
internal import ServiceLifecycle
internal import UnixSignals

/// Reloads the certificate when its files change, and on SIGHUP in a process of its own, until the server shuts down.
struct CertificateRenewal: Service, CustomStringConvertible {
  let certificate: ServerCertificate
  let signals: [UnixSignal]
  var pause: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(5)) }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withDiscardingTaskGroup { group in
        group.addTask {
          while (try? await pause()) != nil { certificate.reloadIfChanged() }
        }
        guard !signals.isEmpty else { return }
        for await _ in await UnixSignalsSequence(trapping: signals) { certificate.reload() }
      }
    }
  }

  var description: String { "CertificateRenewal" }
}
