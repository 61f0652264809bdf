internal import Concurrency
internal import Foundation
public import JourneyStore

/// The requests on this server that wait for messages of a device. A new message wakes them. `PushMessageWatcher` finds messages from
/// other servers of the same database with one query for all devices, and calls ``wake(_:)``.
public final class PollWaiters: PushSender {
  private struct State: Sendable {
    var waiters: [PushAddress: [PollWaiter]] = [:]
    var isClosed = false
  }

  private let state = Locked(State())

  /// The most requests that may wait for one device; another one ends the longest wait.
  static let maximumPerDevice = 4

  public init() {}

  public func address(forToken token: String) -> String { token }

  public func deliver(_ item: PushInboxItem, to device: PushDeviceRecord) { wake(device.address) }

  /// The devices for which requests wait on this server.
  public var listening: Set<PushAddress> { state.withLock { Set($0.waiters.keys) } }

  /// Wakes all requests that wait for the device.
  public func wake(_ address: PushAddress) {
    for waiter in state.withLock({ $0.waiters[address] ?? [] }) { waiter.wake() }
  }

  /// Ends the waits for a removed device.
  public func end(_ address: PushAddress) {
    for waiter in state.withLock({ $0.waiters.removeValue(forKey: address) ?? [] }) { waiter.end() }
  }

  /// Ends all waits, and any later ones at once, because the server shuts down.
  public func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      defer { state.waiters = [:] }
      return state.waiters.values.flatMap { $0 }
    }
    for waiter in waiters { waiter.end() }
  }

  /// A waiter that wakes when the device gets a message. Get it before reading the store, so that no message is missed, and end it
  /// with ``stop(_:)``.
  func waiter(for address: PushAddress) -> PollWaiter {
    let waiter = PollWaiter(address: address)
    let (isClosed, superfluous) = state.withLock { state -> (Bool, PollWaiter?) in
      if state.isClosed { return (true, nil) }
      var waiters = state.waiters[address] ?? []
      let oldest = waiters.count >= Self.maximumPerDevice ? waiters.removeFirst() : nil
      waiters.append(waiter)
      state.waiters[address] = waiters
      return (false, oldest)
    }
    if isClosed { waiter.end() }
    superfluous?.end()
    return waiter
  }

  func stop(_ waiter: PollWaiter) {
    state.withLock { state in
      guard var waiters = state.waiters[waiter.address] else { return }
      waiters.removeAll { $0 === waiter }
      state.waiters[waiter.address] = waiters.isEmpty ? nil : waiters
    }
    waiter.end()
  }
}

/// Wakes one task. Wake-ups before the task waits are combined into one.
final class PollWaiter: Sendable {
  let address: PushAddress
  let wakeups: AsyncStream<Void>
  private let source: AsyncStream<Void>.Continuation

  fileprivate init(address: PushAddress) {
    self.address = address
    (wakeups, source) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func wake() { source.yield() }

  /// Ends the wake-ups.
  func end() { source.finish() }
}
