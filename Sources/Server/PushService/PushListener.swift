internal import Concurrency
internal import JourneyStore
package import PushFormats

/// Sends messages to a device for as long as it listens.
///
/// A class, and each message is sent by a task of its own: thousands of devices listen for hours, and a task keeps the stack of its deepest
/// call. So the waiting task makes no deep calls and copies no large values.
package final class PushListener: Sendable {
  private let service: PushDeviceService
  private let device: PushDeviceRecord

  init(_ service: PushDeviceService, _ device: PushDeviceRecord) {
    self.service = service
    self.device = device
  }

  /// The device, as limits know it.
  package var mechanismUID: String { device.mechanismUID }

  /// What a listening device is sent.
  package enum Signal: Sendable, Hashable {
    case message(DeliveredPushMessage)
    /// Nothing new; shows that both ends are connected.
    case nothingNew
  }

  /// Sends the device its open messages, and new ones as they come, until it is removed, the server shuts down, or
  /// `send` throws. Wake-ups without a message send ``Signal/nothingNew``, so waking now and then keeps the connection
  /// alive.
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

  /// - Returns: the ids of all open messages.
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
