internal import Foundation
internal import JourneyStore
internal import Logging
internal import PushService
internal import ServiceLifecycle

/// Looks into the store, for all devices that listen here at once, for messages that other servers have sent and for devices
/// that are gone; and wakes all now and then, so that connections of devices without messages stay open.
struct PushMessageWatcher: Service, CustomStringConvertible {
  let store: any ServerStore
  let direct: PollWaiters
  let clock: @Sendable () -> Date
  let logger: Logger
  let pause: @Sendable () async throws -> Void

  /// Pauses after which every device is looked at, not only those with messages.
  static let roundsPerRoll = 20

  /// - Parameter pause: between two looks.
  init(
    store: any ServerStore, direct: PollWaiters, clock: @escaping @Sendable () -> Date, logger: Logger,
    pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) }
  ) {
    self.store = store
    self.direct = direct
    self.clock = clock
    self.logger = logger
    self.pause = pause
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var round = 0
      while (try? await pause()) != nil {
        round = (round + 1) % Self.roundsPerRoll
        do { try await look(atAll: round == 0) } catch {
          logger.error("the store cannot be looked into for push messages", metadata: ["cause": "\(error)"])
        }
      }
    }
  }

  func look(atAll: Bool) async throws {
    let listening = direct.listening
    guard !listening.isEmpty else { return }
    guard atAll else {
      for address in try await store.pushDevicesWithNews(now: clock()).intersection(listening) {
        direct.wake(address)
      }
      return
    }
    let existing = try await store.existingPushDevices(among: listening)
    for address in listening {
      if existing.contains(address) { direct.wake(address) } else { direct.end(address) }
    }
  }

  var description: String { "PushMessageWatcher" }
}
