import ArgumentParser
import JourneyServer

/// How `sealring serve` lets others see how it is.
package struct MetricsOptions: ParsableArguments {
  package init() {}

  @Option(
    help: "Port of /metrics, for Prometheus; 0 picks a free one. Default: none (docs/metrics.md).")
  var metricsPort: Int?

  @Option(help: "Address of that port. Everyone who reaches it can read the metrics.")
  var metricsHost = "127.0.0.1"

  package func validate() throws {
    if let metricsPort { try (0...65535).require(metricsPort, for: "--metrics-port") }
  }

  func apply(to configuration: inout ServerConfiguration) {
    configuration.metricsPort = metricsPort
    configuration.metricsHost = metricsHost
  }
}
