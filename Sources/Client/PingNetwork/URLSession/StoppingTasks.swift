internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension URLSession {
  /// Cancels `task` on another thread: cancelling waits for the reader, and the reader may be waiting for the delegate.
  ///
  /// FoundationNetworking reads on a queue of the session. While data is left, each read enqueues the next one before it ends;
  /// an answer that arrives as fast as it is read therefore starves a cancellation, and every other session of the process, which
  /// share the underlying queue. The reader is suspended until the task is cancelled.
  func stop(_ task: URLSessionTask) {
    let reader = reader
    DispatchQueue.global().async {
      reader?.suspend()
      task.cancel()
      reader?.resume()
    }
  }

  /// The queue on which the session reads; `nil` on Apple's systems, whose sessions read in another process.
  private var reader: DispatchQueue? {
    #if canImport(FoundationNetworking)
      let multiHandle = Mirror(reflecting: self).children.first { $0.label == "multiHandle" }
      return multiHandle.flatMap { Mirror(reflecting: $0.value).children.first { $0.label == "queue" } }?
        .value
        as? DispatchQueue
    #else
      return nil
    #endif
  }
}
