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
  /// gigabytes pile up before the delegate can count them. Here the reader waits for a place, and with it the server.
  // The semaphore is the only state.
  private final class NarrowQueue: OperationQueue, @unchecked Sendable {
    private let places = DispatchSemaphore(value: 16)

    override init() {
      super.init()
      maxConcurrentOperationCount = 1
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
      places.wait()
      super.addOperation { [places] in
        block()
        places.signal()
      }
    }
  }
#endif
