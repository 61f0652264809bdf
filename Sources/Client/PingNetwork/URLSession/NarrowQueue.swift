internal import Dispatch
internal import Foundation

extension OperationQueue {
  /// A queue for a session's delegate; `nil` where the session's own queue applies back-pressure.
  static func forDelegate() -> OperationQueue? {
    #if canImport(FoundationNetworking)
      return NarrowQueue()
    #else
      return nil
    #endif
  }
}

#if canImport(FoundationNetworking)
  /// A delegate queue that applies back-pressure to the connection while the delegate is busy.
  ///
  /// FoundationNetworking reads an answer as fast as it arrives and queues every piece for the delegate. Without a limit,
  /// gigabytes pile up before the delegate can count them. Here the reader waits for a free place, and so does the server.
  // The mutable state is used under the condition's lock only.
  final class NarrowQueue: OperationQueue, @unchecked Sendable {
    private static let places = 16

    private let condition = NSCondition()
    /// Calls of the delegate that wait or run.
    private var calls = 0
    /// Operations that run now and for which the reader must not wait.
    private var openings = 0

    override init() {
      super.init()
      maxConcurrentOperationCount = 1
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
      change {
        while calls >= Self.places && openings == 0 { condition.wait() }
        calls += 1
      }
      super.addOperation { [self] in
        block()
        change { calls -= 1 }
      }
    }

    /// Runs `block` between two calls of the delegate. `block` may wait for the reader, because until `block` has ended the reader
    /// does not wait for the delegate.
    func addOperationBesideReader(_ block: @escaping @Sendable () -> Void) {
      super.addOperation { [self] in
        change { openings += 1 }
        block()
        change { openings -= 1 }
      }
    }

    private func change(_ body: () -> Void) {
      condition.lock()
      body()
      condition.broadcast()
      condition.unlock()
    }
  }
#endif
