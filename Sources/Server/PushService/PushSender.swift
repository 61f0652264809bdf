public import JourneyStore

/// One way in which messages reach devices: the queue in front of a push service, or the requests that wait on this server.
public protocol PushSender: Sendable {
  /// The address to send to for a device's token, when the device registers or its token changes.
  ///
  /// - Throws: when this is not a token for this sender; the device is then not registered.
  func address(forToken token: String) async throws -> String

  /// Takes a stored message, and does not wait for the network: whoever signs in waits for this. The device can also fetch
  /// the message from the store, so an error loses nothing.
  func deliver(_ item: PushInboxItem, to device: PushDeviceRecord) async throws
}

/// The senders that a server has, by the `communicationType` with which devices register.
public struct PushSenders: Sendable {
  /// Devices that fetch their messages from this server themselves; always there.
  public let direct: PollWaiters

  private let senders: [String: any PushSender]

  /// The `communicationType` of devices that fetch their messages.
  public static let directType = "poll"

  public init(direct: PollWaiters = PollWaiters(), senders: [String: any PushSender] = [:]) {
    self.direct = direct
    self.senders = senders
  }

  /// The sender for that `communicationType`; `nil` when this server has none.
  public func sender(for communicationType: String) -> (any PushSender)? {
    communicationType == Self.directType ? direct : senders[communicationType]
  }
}
