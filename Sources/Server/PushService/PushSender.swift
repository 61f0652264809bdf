public import JourneyStore

/// One way in which messages reach devices.
public protocol PushTransport: Sendable {
  /// The transport's address for a device's token, when the device registers or its token changes.
  ///
  /// - Throws: when the token is none of this transport; the device is then not registered.
  func address(forToken token: String) async throws -> String

  /// Hands a stored message over, and does not wait for the network: who signs in waits for this. The message can also be
  /// fetched from the store, so an error loses nothing.
  func deliver(_ item: PushInboxItem, to device: PushDeviceRecord) async throws
}

/// The ways to deliver that a server has, by the `communicationType` with which devices register.
public struct PushDelivery: Sendable {
  /// Devices that fetch their messages from this server themselves; always there.
  public let direct: DirectDelivery

  private let transports: [String: any PushTransport]

  /// The `communicationType` of devices that fetch their messages.
  public static let directType = "poll"

  public init(direct: DirectDelivery = DirectDelivery(), transports: [String: any PushTransport] = [:]) {
    self.direct = direct
    self.transports = transports
  }

  /// The transport of that `communicationType`; `nil` when this server has none.
  public func transport(for communicationType: String) -> (any PushTransport)? {
    communicationType == Self.directType ? direct : transports[communicationType]
  }
}
