internal import Logging
internal import ServiceLifecycle

/// Does something at intervals until the server shuts down. A failure is logged, and the next turn comes all the same.
struct RepeatedTask: Service, CustomStringConvertible {
  let description: String
  let interval: Duration

  /// Measures the interval.
  var timer: any Clock<Duration> = ContinuousClock()
  let logger: Logger

  /// The log's message when `body` fails.
  let failure: Logger.Message
  let body: @Sendable () async throws -> Void

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await timer.sleep(for: interval)) != nil {
        do { try await body() } catch { logger.error(failure, metadata: ["cause": "\(error)"]) }
      }
    }
  }
}
