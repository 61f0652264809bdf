internal import Dispatch

/// Runs code that blocks, such as an app's, on a thread that is not one of the few that tasks share.
package func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws
  -> Value
{
  try await withCheckedThrowingContinuation { done in
    DispatchQueue.global(qos: .userInitiated).async { done.resume(with: Result { try body() }) }
  }
}
