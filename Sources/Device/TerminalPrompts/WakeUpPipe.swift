internal import Foundation

/// The two ends of a pipe through which another thread or a signal handler wakes up a thread that waits for input.
///
/// Child processes do not inherit it, and writing to it never blocks.
struct WakeUpPipe: Sendable {
  let readEnd: Int32
  let writeEnd: Int32

  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    (readEnd, writeEnd) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
  }

  /// Makes the read end readable.
  func wakeUp() {
    var byte: UInt8 = 0
    _ = write(writeEnd, &byte, 1)
  }

  /// Removes all bytes and returns the first one.
  func drain() -> UInt8? {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = bytes.withUnsafeMutableBytes { read(readEnd, $0.baseAddress, $0.count) }
    return count > 0 ? bytes[0] : nil
  }

  /// Closes both ends.
  func close() {
    _ = Foundation.close(readEnd)
    _ = Foundation.close(writeEnd)
  }
}
