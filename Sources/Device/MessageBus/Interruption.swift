#if os(Linux)
  internal import CSystemd
  internal import Foundation

  /// Wakes up a waiting thread from any other thread.
  package final class Interruption: Sendable {
    /// Readable as soon as the interruption is raised, and from then on.
    let descriptor: Int32

    /// `nil` when the process has no file descriptor left.
    package init?() {
      descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
      guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    package func raise() {
      var one: UInt64 = 1
      _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }
  }

  extension Bus {
    /// Connects to the bus at `address`, and runs `body` on a thread of its own, because it blocks. Cancelling this task interrupts `body`.
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
