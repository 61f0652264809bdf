public import JourneyStore
internal import Locking
internal import Foundation

/// One way in which messages reach devices.
public protocol PushTransport: Sendable {
  /// The transport's address for a device's token, when the device registers or its token changes.
  ///
  /// - Throws: when the token is none of this transport; the device is then not registered.
  func address(forToken token: String) async throws -> String

  /// Hands a stored message over. The message can also be fetched from the store, so an error loses nothing.
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

/// Delivery to devices that ask: whoever waits for a device's messages is woken. Devices that wait at another server of the
/// same database look into the store from time to time instead.
public final class DirectDelivery: PushTransport {
  private struct Address: Hashable {
    let realm: String
    let mechanismUID: String
  }

  private let bells = Locked<[Address: [UUID: AsyncStream<Void>.Continuation]]>([:])

  public init() {}

  public func address(forToken token: String) -> String { token }

  public func deliver(_ item: PushInboxItem, to device: PushDeviceRecord) {
    let address = Address(realm: device.realm, mechanismUID: device.mechanismUID)
    let waiting = bells.withLock { $0[address].map { Array($0.values) } ?? [] }
    for bell in waiting { bell.yield() }
  }

  /// Yields when a message comes for the device. Listen before looking into the store, so that none is missed.
  func rings(mechanismUID: String, realm: String) -> AsyncStream<Void> {
    let address = Address(realm: realm, mechanismUID: mechanismUID)
    let id = UUID()
    let (stream, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    bells.withLock { $0[address, default: [:]][id] = bell }
    bell.onTermination = { [weak self] _ in
      self?.bells.withLock { bells in
        bells[address]?[id] = nil
        if bells[address]?.isEmpty == true { bells[address] = nil }
      }
    }
    return stream
  }
}
