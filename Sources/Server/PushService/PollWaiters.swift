internal import Concurrency
internal import Foundation
public import JourneyStore

/// The requests that wait here for messages of a device; a message wakes them. Messages that other servers of the same
/// database have sent are found by one query for all devices, which then calls ``wake(_:)``.
public final class PollWaiters: PushSender {
  private struct State: Sendable {
    var waiters: [PushAddress: [PollWaiter]] = [:]
    var isClosed = false
  }

  private let state = Locked(State())

  /// Requests that may wait for the messages of one device; one more ends the longest wait.
  static let maximumPerDevice = 4

  public init() {}

  public func address(forToken token: String) -> String { token }

  public func deliver(_ item: PushInboxItem, to device: PushDeviceRecord) { wake(device.address) }

  /// The devices for which requests wait here.
  public var listening: Set<PushAddress> { state.withLock { Set($0.waiters.keys) } }

  /// Wakes all requests that wait for the device.
  public func wake(_ address: PushAddress) {
    for waiter in state.withLock({ $0.waiters[address] ?? [] }) { waiter.wake() }
  }

  /// Ends the waits for a device that is gone.
  public func end(_ address: PushAddress) {
    for waiter in state.withLock({ $0.waiters.removeValue(forKey: address) ?? [] }) { waiter.end() }
  }

  /// Ends all waits, now and later: the server shuts down.
  public func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      defer { state.waiters = [:] }
      return state.waiters.values.flatMap { $0 }
    }
    for waiter in waiters { waiter.end() }
  }

  /// A waiter that wakes when a message comes for the device. Get it before looking into the store, so that no message is
  /// missed; give it back with ``stop(_:)``.
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

/// Wakes one task. Wake-ups that come before the task waits are kept as one.
final class PollWaiter: Sendable {
  let address: PushAddress
  let wakeups: AsyncStream<Void>
  private let source: AsyncStream<Void>.Continuation

  fileprivate init(address: PushAddress) {
    self.address = address
    (wakeups, source) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func wake() { source.yield() }

  /// Nothing wakes the task after this.
  func end() { source.finish() }
}
