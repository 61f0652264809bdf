internal import Foundation

/// The file `.NAME.tmp` in which the next content of NAME is prepared.
///
/// Its name is fixed, so that a crash leaves at most one behind, which the next writer empties and uses. Its lock
/// (`flock`) makes sure that no two writers, in whatever process, prepare the same file at once.
struct TemporaryFile: ~Copyable {
  private let descriptor: Int32
  private let path: String
  private let target: URL

  /// Runs `body` with the temporary file of `target`, opened and locked; removes the file if `body` did not move it.
  static func use(
    for target: URL, _ body: (borrowing TemporaryFile) throws(FileStorageError) -> Void
  ) throws(FileStorageError) {
    let temporary = try TemporaryFile(for: target)
    do {
      try body(temporary)
    } catch {
      temporary.discard()
      throw error
    }
  }

  private init(for target: URL) throws(FileStorageError) {
    self.target = target
    path = target.deletingLastPathComponent().appendingPathComponent(".\(target.lastPathComponent).tmp").path
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
      guard descriptor >= 0 else {
        throw .unwritable(path: target.path, reason: ProtectedFiles.lastReason())
      }
      var locked = flock(descriptor, LOCK_EX)
      while locked != 0, errno == EINTR { locked = flock(descriptor, LOCK_EX) }
      guard locked == 0 else {
        let reason = ProtectedFiles.lastReason()
        close(descriptor)
        throw .unwritable(path: target.path, reason: reason)
      }
      // The writer before us may have renamed the file that we opened: then it is the target now, and not ours to touch.
      var opened = stat()
      var named = stat()
      if fstat(descriptor, &opened) == 0, lstat(path, &named) == 0, opened.st_ino == named.st_ino,
        opened.st_dev == named.st_dev
      {
        // In a folder that others may write to, one of them may have put it there, and would read what we write.
        guard opened.st_uid == geteuid(), opened.st_mode & S_IFMT == S_IFREG, opened.st_nlink == 1 else {
          close(descriptor)
          throw .unprotected(path: path, reason: "somebody else made this file")
        }
        self.descriptor = descriptor
        return
      }
      close(descriptor)
    }
  }

  deinit { close(descriptor) }

  /// Replaces the file's content and makes it durable.
  func write(_ bytes: [UInt8]) throws(FileStorageError) {
    guard ftruncate(descriptor, 0) == 0, fchmod(descriptor, 0o600) == 0 else { throw failure() }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        pwrite(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written, off_t(written))
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw failure()
      }
      written += count
    }
    #if canImport(Darwin)
      // On Apple platforms fsync stops at the drive's own cache.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw failure() }
  }

  /// Renames the file to its target and makes that durable.
  func moveIntoPlace() throws(FileStorageError) {
    guard rename(path, target.path) == 0 else { throw failure() }
    try ProtectedFiles.synchronize(folder: target.deletingLastPathComponent())
  }

  private borrowing func discard() {
    // Only while the name still is this file's: after the rename it may be the next writer's.
    var opened = stat()
    var named = stat()
    if fstat(descriptor, &opened) == 0, lstat(path, &named) == 0, opened.st_ino == named.st_ino {
      unlink(path)
    }
  }

  private func failure() -> FileStorageError {
    .unwritable(path: target.path, reason: ProtectedFiles.lastReason())
  }
}
