internal import Concurrency
public import JourneyStore
package import PushFormats

/// A way for messages to reach devices: the queue of a push service, or the requests that wait on this server.
public protocol PushSender: Sendable {
  /// The address to send to for a device's token, when the device registers or its token changes.
  ///
  /// - Throws: an error when the token is not valid for this sender; the device is then not registered.
  func address(forToken token: String) async throws -> String

  /// Accepts a stored message without waiting for the network, because a sign-in waits for this call. The device can also
  /// fetch the message from the store, so an error loses nothing.
  func deliver(_ item: PushInboxItem, to device: PushDeviceRecord) async throws
}

/// The senders of a server, by the `communicationType` with which devices register.
public struct PushSenders: Sendable {
  /// Serves devices that fetch their messages from this server; always available.
  public let direct: PollWaiters

  private let senders: [String: any PushSender]

  /// Limits how long to wait for senders and polling devices.
  let timer: any Clock<Duration>

  /// The `communicationType` of devices that fetch their messages.
  public static let directType = "poll"

  /// The longest time that a sign-in waits for senders to accept its messages. They should accept them immediately.
  package static let handOverLimit = Duration.seconds(1)

  public init(
    direct: PollWaiters = PollWaiters(), senders: [String: any PushSender] = [:],
    timer: any Clock<Duration> = ContinuousClock()
  ) {
    self.direct = direct
    self.senders = senders
    self.timer = timer
  }

  /// The sender for a `communicationType`; `nil` when this server has none.
  public func sender(for communicationType: String) -> (any PushSender)? {
    communicationType == Self.directType ? direct : senders[communicationType]
  }

  /// Those of an account's devices that get its messages: at most 20, because more would not fit the answer to one poll.
  package func reached(of devices: [PushDeviceRecord]) -> [PushDeviceRecord] {
    Array(devices.filter { sender(for: $0.communicationType) != nil }.prefix(20))
  }

  /// Hands messages to the senders of their devices, all in parallel.
  ///
  /// - Returns: for each device whose sender could not take its message, the reason. A sender that has not answered within
  ///   ``handOverLimit`` continues in the background, and counts as having taken the message.
  package func handOver(
    _ outgoing: [(item: PushInboxItem, device: PushDeviceRecord)]
  ) async -> [(device: PushDeviceRecord, reason: String)] {
    await withTaskGroup(of: (device: PushDeviceRecord, reason: String)?.self) { group in
      for (item, device) in outgoing {
        // Devices with another sender may also listen on this server.
        direct.deliver(item, to: device)
        guard device.communicationType != Self.directType,
          let sender = sender(for: device.communicationType)
        else { continue }
        group.addTask { [timer] in
          do {
            // A separate task, which is not cancelled when the waiting ends.
            try await firstOf(
              { try await Task { try await sender.deliver(item, to: device) }.value },
              orAfter: Self.handOverLimit, on: timer, abandoning: true)
            return nil
          } catch { return error is TimeIsUp || Task.isCancelled ? nil : (device, "\(error)") }
        }
      }
      return await group.reduce(into: []) { failures, failure in failures += failure.map { [$0] } ?? [] }
    }
  }
}

extension PushMessage {
  /// A placeholder for apps that require the load balancer cookie; this server does not use it.
  package static let noLoadBalancer = "sealring=1"

  /// The message as it goes out to each device, signed with the device's secret.
  package func outgoing(
    id: String, to devices: [PushDeviceRecord]
  ) async throws -> [(item: PushInboxItem, device: PushDeviceRecord)] {
    var message = self
    var outgoing: [(item: PushInboxItem, device: PushDeviceRecord)] = []
    for device in devices {
      message.mechanismUID = device.mechanismUID
      let token = try await message.token(secret: device.secret())
      outgoing.append(
        (PushInboxItem(messageID: id, mechanismUID: device.mechanismUID, message: token), device))
    }
    return outgoing
  }
}
