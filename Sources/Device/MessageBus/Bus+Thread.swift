#if os(Linux)
  internal import Foundation

  extension Bus {
    /// Connects to the bus at `address`, and runs `body` on a thread of its own, because it waits there. `body` is
    /// interrupted when this task is cancelled.
    ///
    /// - Parameter address: As in ``init(address:interruption:)``.
    /// - Throws: `BusError`, `CancellationError`, and what `body` throws.
    package static func withConnection<Result: Sendable>(
      to address: String?, _ body: @escaping @Sendable (Bus) throws -> Result
    ) async throws -> Result {
      try Task.checkCancellation()
      guard let interruption = Interruption() else { throw BusError.noDescriptors }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          Thread.detachNewThread {
            continuation.resume(
              with: Swift.Result { try body(Bus(address: address, interruption: interruption)) })
          }
        }
      } onCancel: {
        interruption.raise()
      }
    }
  }
#endif
