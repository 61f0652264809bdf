internal import ServiceLifecycle
internal import UnixSignals

/// Loads the certificate again when its files change, and on SIGHUP in a process of its own, until the server shuts down.
struct CertificateRenewal: Service, CustomStringConvertible {
  let certificate: ServerCertificate
  let signals: [UnixSignal]
  let pause: @Sendable () async throws -> Void

  init(
    certificate: ServerCertificate, signals: [UnixSignal],
    pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(5)) }
  ) {
    self.certificate = certificate
    self.signals = signals
    self.pause = pause
  }

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
