/// Runs `body` in a task of its own, and waits for its end; cancelled with the caller.
///
/// A task keeps the stack of its deepest call until it ends. A task that waits for hours, such as that of a listening connection, makes its
/// deep calls by this function. `async let` would take stack in the caller, too.
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
