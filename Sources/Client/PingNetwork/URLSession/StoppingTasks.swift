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

  /// Runs `act`, which cancels tasks, when neither reader nor delegate can come in between.
  ///
  /// Three things of FoundationNetworking make that necessary. A task that ends while it is being cancelled ends the process
  /// ("Trying to access a behaviour for a task that in not in the registry"): it ends in a call of the delegate, so cancelling
  /// takes its turn among those. Cancelling waits for the reader, which may be waiting for the delegate. And while data is left,
  /// each read enqueues the next one before it ends, so an answer that arrives as fast as it is read starves a cancellation, and
  /// every other session of the process, which share the underlying queue: the reader is suspended meanwhile.
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
