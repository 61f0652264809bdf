internal import Dispatch

/// Runs asynchronous code synchronously, for published interfaces that are synchronous.
package enum Blocking {
  /// Runs `body` while the caller's thread waits for it.
  ///
  /// On Linux, and from macOS 15 and iOS 18, `body` and its child tasks run on a thread of their own, so they proceed even when callers
  /// block all of the few threads that tasks share. Earlier systems of Apple's run them on the shared threads, as every system does with
  /// an unstructured task that `body` waits for. When as many tasks as the device has cores then call this function at the same time,
  /// none of the calls returns. Our own tasks therefore call blocking code through ``onOwnThread(_:)``.
  ///
  /// `body` must not wait for the main actor either: the caller may be blocking its thread.
  package static func run<Success: Sendable>(
    _ body: @escaping @Sendable () async throws -> Success
  ) throws -> Success {
    let done = DispatchSemaphore(value: 0)
    let result = Locked<Result<Success, any Error>?>(nil)
    let work: @Sendable () async -> Void = {
      let outcome: Result<Success, any Error>
      do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
      result.withLock { $0 = outcome }
      done.signal()
    }
    if #available(macOS 15, iOS 18, *) {
      Task.detached(executorPreference: QueueExecutor(), operation: work)
    } else {
      Task.detached(operation: work)
    }
    done.wait()
    guard let outcome = result.withLock({ $0 }) else { throw CancellationError() }
    return try outcome.get()
  }
}

/// Runs tasks on a queue of its own.
@available(macOS 15, iOS 18, *)
private final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "com.sealring.blocking")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
