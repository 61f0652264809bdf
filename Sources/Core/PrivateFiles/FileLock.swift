internal import Dispatch
package import Foundation

/// An advisory lock between processes and between the tasks of this one (`flock` on a file of its own).
///
/// It is released when the body ends and also when the process dies.
package struct FileLock: Sendable {
  private let file: URL
  private let attempts: Int

  /// - Parameters:
  ///   - file: The file to lock; created when absent, never removed. Its folder must exist.
  ///   - attempts: How often to try, about every 10 ms, before giving up; ten seconds by default.
  package init(file: URL, attempts: Int = 1000) {
    self.file = file
    self.attempts = attempts
  }

  /// Runs `body`, on the caller's actor, while nobody else holds the lock.
  ///
  /// A cancelled task waits and gets its turn like any other, because cleaning up needs the lock, too.
  /// - Throws: ``FileStorageError/locked(path:)`` when another holder does not let go.
  package func withLock<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result {
    let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw FileStorageError.unwritable(path: file.path, reason: ProtectedFiles.lastReason())
    }
    defer { close(descriptor) }
    var remaining = attempts
    // Never the blocking form: the holder may be a task of this process that waits for the thread we would block.
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let reason = errno
      guard reason == EWOULDBLOCK || reason == EINTR else {
        throw FileStorageError.unwritable(path: file.path, reason: String(cString: strerror(reason)))
      }
      remaining -= 1
      guard remaining > 0 else { throw FileStorageError.locked(path: file.path) }
      await pause()
    }
    return try await body()
  }

  /// Waits 10 ms, also in a cancelled task, where `Task.sleep` would return at once.
  private func pause(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { continuation.resume() }
    }
  }
}
