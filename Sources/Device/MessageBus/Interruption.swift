#if os(Linux)
  internal import CSystemd
  internal import Foundation

  /// Wakes up a thread that waits for something else, from any other thread.
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
#endif
