/// Runs `body` in a task of its own and waits for its end. Cancelling the caller cancels that task.
///
/// A task keeps the stack of its deepest call until it ends. A task that waits for hours, such as one for a listening connection, makes
/// its deep calls through this function. `async let` would also take stack in the caller.
package func inOwnTask<Value: Sendable>(
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let task = Task { try await body() }
  return try await withTaskCancellationHandler {
    try await task.value
  } onCancel: {
    task.cancel()
  }
}
