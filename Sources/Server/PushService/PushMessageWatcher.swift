package import Foundation
package import JourneyStore
package import Logging
internal import ServiceLifecycle

/// Queries the store once for all devices that listen on this server: for messages from other servers, and for removed devices.
/// Regularly wakes all devices, so that connections without messages stay open.
package struct PushMessageWatcher: Service, CustomStringConvertible {
  let store: any ServerStore
  let direct: PollWaiters
  let clock: @Sendable () -> Date
  let logger: Logger

  /// Waits between two queries.
  var pause: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) }

  /// The number of queries after which every device is woken, not only those with messages.
  private static let roundsPerRoll = 20

  package init(
    store: any ServerStore, direct: PollWaiters, clock: @escaping @Sendable () -> Date, logger: Logger
  ) {
    (self.store, self.direct, self.clock, self.logger) = (store, direct, clock, logger)
  }

  package func run() async throws {
    await cancelWhenGracefulShutdown {
      var round = 0
      while (try? await pause()) != nil {
        round = (round + 1) % Self.roundsPerRoll
        do { try await look(atAll: round == 0) } catch {
          logger.error("the store could not be queried for push messages", metadata: ["cause": "\(error)"])
        }
      }
    }
  }

  func look(atAll: Bool) async throws {
    let listening = direct.listening
    guard !listening.isEmpty else { return }
    guard atAll else {
      let news = try await store.pushDevicesWithNews(now: clock())
      return news.intersection(listening).forEach(direct.wake)
    }
    let existing = try await store.existingPushDevices(among: listening)
    listening.intersection(existing).forEach(direct.wake)
    listening.subtracting(existing).forEach(direct.end)
  }

  package var description: String { "PushMessageWatcher" }
}
