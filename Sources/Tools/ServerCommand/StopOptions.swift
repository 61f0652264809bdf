import ArgumentParser
import Assembly
import Foundation

/// The options for stopping `sealring serve`.
struct StopOptions: ParsableArguments, ServerOptionGroup {
  @Option(
    help: """
      Seconds that requests under way have to finish when the server is told to stop; what is not finished then is cut and logged.
      """)
  var drain = Int(ServerConfiguration.standard.drainTime)

  @Option(
    help: """
      Seconds that the server goes on accepting connections after it was told to stop, while /health/ready answers 503: as long as a \
      load balancer takes to notice.
      """)
  var drainNotice = Int(ServerConfiguration.standard.drainNotice)

  func validate() throws {
    try (0...3600).require(drain, for: "--drain", unit: " of seconds")
    try (0...3600).require(drainNotice, for: "--drain-notice", unit: " of seconds")
  }

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.drainTime = TimeInterval(drain)
    configuration.drainNotice = TimeInterval(drainNotice)
  }
}
