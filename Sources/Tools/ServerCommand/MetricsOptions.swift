import ArgumentParser
import Assembly

/// The options for metrics and monitoring.
struct MetricsOptions: ParsableArguments, ServerOptionGroup {
  @Option(
    help: "Port of /metrics, for Prometheus; 0 picks a free one. Default: none (docs/metrics.md).")
  var metricsPort: Int?

  @Option(help: "Address of that port. Everyone who reaches it can read the metrics.")
  var metricsHost = ServerConfiguration.standard.metricsHost

  @Option(
    help: ArgumentHelp(
      "Collector of OpenTelemetry that traces go to, by OTLP over HTTP, such as http://127.0.0.1:4318 (docs/metrics.md).",
      valueName: "url"))
  var otlpEndpoint: String?

  @Option(help: "How many of the traces that begin at this server are kept, from 0 to 1.")
  var traceRatio = ServerConfiguration.standard.traceRatio

  func validate() throws {
    guard (0...1).contains(traceRatio) else {
      throw ValidationError("--trace-ratio is a number from 0 to 1.")
    }
    if let metricsPort { try (0...65535).require(metricsPort, for: "--metrics-port") }
  }

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.metricsPort = metricsPort
    configuration.metricsHost = metricsHost
    configuration.traceEndpoint = otlpEndpoint
    configuration.traceRatio = traceRatio
  }
}
