internal import Dispatch

/// Runs asynchronous code synchronously, for published interfaces that are synchronous.
package enum Blocking {
  /// Runs `body` on a thread that is not the caller's and not one of the few that tasks share, so that it proceeds while the
  /// caller blocks, even when the caller is a task.
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
