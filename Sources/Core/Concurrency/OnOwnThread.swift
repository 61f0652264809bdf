internal import Foundation

/// Runs code that blocks, such as an app's, on a thread of its own. On the threads that tasks share, or those of the system's queues, a few
/// such calls keep everybody else waiting. Callers limit how many run at once.
package func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws
  -> Value
{
  try await withCheckedThrowingContinuation { done in
    let thread = Thread { done.resume(with: Result { try body() }) }
    thread.qualityOfService = .userInitiated
    thread.start()
  }
}
