package import Logging
internal import ServiceLifecycle

/// Does something at intervals until the server shuts down. A failure is logged, and the next turn comes all the same.
package struct RepeatedTask: Service, CustomStringConvertible {
  package let description: String
  package let interval: Duration

  /// Measures the interval.
  package var timer: any Clock<Duration> = ContinuousClock()
  package let logger: Logger

  /// The log's message when `body` fails.
  package let failure: Logger.Message
  package let body: @Sendable () async throws -> Void

  package init(
    description: String, interval: Duration, timer: any Clock<Duration> = ContinuousClock(), logger: Logger,
    failure: Logger.Message, body: @escaping @Sendable () async throws -> Void
  ) {
    self.description = description
    self.interval = interval
    self.timer = timer
    self.logger = logger
    self.failure = failure
    self.body = body
  }

  package func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await timer.sleep(for: interval)) != nil {
        do { try await body() } catch { logger.error(failure, metadata: ["cause": "\(error)"]) }
      }
    }
  }
}
