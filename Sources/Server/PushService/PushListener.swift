internal import Concurrency
internal import JourneyStore
package import PushFormats

/// Sends messages to a device for as long as it listens.
///
/// It is a class, and a separate task sends each message, because thousands of devices listen for hours, and a task keeps the stack of its
/// deepest call. The waiting task therefore makes no deep calls and copies no large values.
package final class PushListener: Sendable {
  private let service: PushDeviceService
  private let device: PushDeviceRecord

  init(_ service: PushDeviceService, _ device: PushDeviceRecord) {
    self.service = service
    self.device = device
  }

  /// The device's id, for limits.
  package var mechanismUID: String { device.mechanismUID }

  /// A signal to a listening device.
  package enum Signal: Sendable, Hashable {
    case message(DeliveredPushMessage)
    /// No news; shows that both ends are connected.
    case nothingNew
  }

  /// Sends the device its open messages, and new ones as they come, until the device is removed, the server shuts down, or
  /// `send` throws. A wake-up without a new message sends ``Signal/nothingNew``, so regular wake-ups keep the connection alive.
  package func listen(send: @escaping @Sendable (Signal) async throws -> Void) async throws {
    let waiters = service.dependencies.senders.direct
    let waiter = waiters.waiter(for: device.address)
    defer { waiters.stop(waiter) }
    var sent = try await inOwnTask { [self] in
      try await send(.nothingNew)
      return try await sendNew(after: [], send)
    }
    for await _ in waiter.wakeups {
      sent = try await inOwnTask { [self, sent] in
        let open = try await sendNew(after: sent, send)
        if open.isSubset(of: sent) { try await send(.nothingNew) }
        return open
      }
    }
  }

  /// Sends the open messages whose ids are not in `sent`. Returns the ids of all open messages.
  private func sendNew(
    after sent: Set<String>, _ send: (Signal) async throws -> Void
  ) async throws -> Set<String> {
    let items = try await service.inbox(of: device)
    let new = items.filter { !sent.contains($0.messageID) }
    for item in new { try await send(.message(item.delivery)) }
    try await service.noteFetch(of: new, by: device)
    return Set(items.map(\.messageID))
  }
}
