internal import Foundation
internal import JourneyStore
internal import Logging
internal import ServiceLifecycle

/// Removes from time to time what has expired in the store, until the server shuts down.
struct ExpiryService: Service, CustomStringConvertible {
  let store: any ServerStore
  let clock: @Sendable () -> Date
  let logger: Logger
  let pause: @Sendable () async throws -> Void

  init(
    store: any ServerStore, clock: @escaping @Sendable () -> Date, logger: Logger,
    pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(60)) }
  ) {
    self.store = store
    self.clock = clock
    self.logger = logger
    self.pause = pause
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await pause()) != nil {
        do { try await store.removeExpired(now: clock()) } catch {
          logger.error("what has expired could not be removed", metadata: ["cause": "\(error)"])
        }
      }
    }
  }

  var description: String { "ExpiryService" }
}
