/// Runs `body` in a task of its own, and waits for its end; cancelled with the caller.
///
/// A task keeps the room of its deepest call until it ends. One that waits for hours, such as that of a connection on which a client
/// listens, calls by this what goes deep. Not by `async let`, which takes room in the caller, too.
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
