internal import Foundation
public import JourneyStore
internal import Concurrency

/// Delivery to devices that ask: whoever waits for a device's messages is woken. What other servers of the same database
/// have sent is for ``ring(_:)``, which one look into the store for all devices decides.
public final class DirectDelivery: PushTransport {
  private struct State: Sendable {
    var bells: [PushAddress: [PushBell]] = [:]
    var isClosed = false
  }

  private let state = Locked(State())

  /// How many may wait for the messages of one device; one more ends the longest wait.
  static let maximumListeners = 4

  public init() {}

  public func address(forToken token: String) -> String { token }

  public func deliver(_ item: PushInboxItem, to device: PushDeviceRecord) { ring(device.address) }

  /// The devices that somebody waits for here.
  public var listening: Set<PushAddress> { state.withLock { Set($0.bells.keys) } }

  /// Wakes whoever waits for the device.
  public func ring(_ address: PushAddress) {
    for bell in state.withLock({ $0.bells[address] ?? [] }) { bell.ring() }
  }

  /// Ends the waiting for a device that is gone.
  public func end(_ address: PushAddress) {
    for bell in state.withLock({ $0.bells.removeValue(forKey: address) ?? [] }) { bell.end() }
  }

  /// Ends all waiting, now and later: the server shuts down.
  public func close() {
    let bells = state.withLock { state in
      state.isClosed = true
      defer { state.bells = [:] }
      return state.bells.values.flatMap { $0 }
    }
    for bell in bells { bell.end() }
  }

  /// A bell that rings when a message comes for the device. Get it before looking into the store, so that none is missed;
  /// give it back with ``stop(_:)``.
  func bell(for address: PushAddress) -> PushBell {
    let bell = PushBell(address: address)
    let (isClosed, superfluous) = state.withLock { state -> (Bool, PushBell?) in
      if state.isClosed { return (true, nil) }
      var bells = state.bells[address] ?? []
      let oldest = bells.count >= Self.maximumListeners ? bells.removeFirst() : nil
      bells.append(bell)
      state.bells[address] = bells
      return (false, oldest)
    }
    if isClosed { bell.end() }
    superfluous?.end()
    return bell
  }

  func stop(_ bell: PushBell) {
    state.withLock { state in
      guard var bells = state.bells[bell.address] else { return }
      bells.removeAll { $0 === bell }
      state.bells[bell.address] = bells.isEmpty ? nil : bells
    }
    bell.end()
  }
}

/// Wakes one task. Rings that come before anybody waits are kept as one.
final class PushBell: Sendable {
  let address: PushAddress
  let rings: AsyncStream<Void>
  private let source: AsyncStream<Void>.Continuation

  fileprivate init(address: PushAddress) {
    self.address = address
    (rings, source) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func ring() { source.yield() }

  /// Nothing rings after this.
  func end() { source.finish() }
}
