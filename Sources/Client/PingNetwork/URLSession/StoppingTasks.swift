internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension URLSession {
  /// Cancels `task`, elsewhere: cancelling waits for the reader, and the reader may be waiting for the delegate.
  ///
  /// FoundationNetworking reads in a queue of the session. While more has come than one turn reads, each turn puts the next
  /// one into the queue before it ends; so an answer that comes as fast as it is read leaves no turn to a cancellation, nor
  /// to any other session of the process, which all share the queue below. The reader is held until the task is cancelled.
  func stop(_ task: URLSessionTask) {
    let reader = reader
    DispatchQueue.global().async {
      reader?.suspend()
      task.cancel()
      reader?.resume()
    }
  }

  /// The queue that the session reads in; `nil` where it has none of this name (Apple's sessions read in a process of their own).
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
