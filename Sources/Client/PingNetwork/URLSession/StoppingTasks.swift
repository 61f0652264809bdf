internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension URLSession {
  /// Cancels `task` soon.
  func stop(_ task: URLSessionTask) {
    stopBetweenCalls { task.cancel() }
  }

  /// Cancels every task soon, and refuses new ones.
  func stopAll() {
    stopBetweenCalls { [self] in invalidateAndCancel() }
  }

  /// Keeps `delegate` a little longer than the session, which has just become invalid.
  ///
  /// FoundationNetworking forgets its delegate right after that call, without a lock. If that was the last reference, and another of its
  /// threads takes one at that moment, the process ends with "deallocated with non-zero retain count" (seen once).
  func keep(_ delegate: some AnyObject & Sendable) {
    #if canImport(FoundationNetworking)
      (delegateQueue as? NarrowQueue)?.addOperationBesideReader { withExtendedLifetime(delegate) {} }
    #endif
  }

  /// Runs `act`, which cancels tasks, while neither the reader nor the delegate can interfere.
  ///
  /// Three properties of FoundationNetworking make that necessary:
  /// - A task that ends while it is being cancelled crashes the process ("Trying to access a behaviour for a task that in not in
  ///   the registry"). Tasks end in a call of the delegate, so cancelling takes its turn among those calls.
  /// - Cancelling waits for the reader, which may be waiting for the delegate.
  /// - While data is left, each read enqueues the next one before it ends. An answer that arrives as fast as it is read would
  ///   starve a cancellation and all other sessions of the process, which share one queue. So the reader is suspended meanwhile.
  private func stopBetweenCalls(_ act: @escaping @Sendable () -> Void) {
    #if canImport(FoundationNetworking)
      guard let calls = delegateQueue as? NarrowQueue else { return act() }
      let reader = reader
      calls.addOperationBesideReader {
        reader?.suspend()
        act()
        reader?.resume()
      }
    #else
      act()
    #endif
  }

  #if canImport(FoundationNetworking)
    /// The queue on which the session reads.
    private var reader: DispatchQueue? {
      let multiHandle = Mirror(reflecting: self).children.first { $0.label == "multiHandle" }
      return multiHandle.flatMap { Mirror(reflecting: $0.value).children.first { $0.label == "queue" } }?
        .value
        as? DispatchQueue
    }
  #endif
}
