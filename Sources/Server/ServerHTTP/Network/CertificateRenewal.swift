internal import ServiceLifecycle
package import UnixSignals

/// Reloads the certificate when its files change, and on SIGHUP in a process of its own, until the server shuts down.
package struct CertificateRenewal: Service, CustomStringConvertible {
  package let certificate: ServerCertificate
  package let signals: [UnixSignal]
  var pause: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(5)) }

  package init(
    certificate: ServerCertificate, signals: [UnixSignal],
    pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(5)) }
  ) {
    (self.certificate, self.signals, self.pause) = (certificate, signals, pause)
  }

  package func run() async throws {
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

  package var description: String { "CertificateRenewal" }
}
