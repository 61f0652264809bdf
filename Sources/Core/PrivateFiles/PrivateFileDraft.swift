package import Foundation

/// A private file in the making: its content appears under its name whole and durable, or not at all.
///
/// It is prepared in the file `.NAME.tmp` beside NAME. The name is fixed, so that a crash leaves at most one draft behind, which the next
/// writer reuses. Its lock (`flock`) makes sure that no two writers, in whatever process, prepare the same file at once: the second waits.
/// A draft that is not committed is removed with its last reference.
package final class PrivateFileDraft: Sendable {
  private let descriptor: Int32
  private let path: String
  private let target: URL

  /// Creates an empty draft of `target`, readable by its owner only. The folder must exist.
  package init(of target: URL) throws(FileStorageError) {
    self.target = target
    path = target.deletingLastPathComponent().appendingPathComponent(".\(target.lastPathComponent).tmp").path
    descriptor = try Self.open(path, for: target)
    guard ftruncate(descriptor, 0) == 0, fchmod(descriptor, 0o600) == 0 else { throw failure() }
  }

  deinit {
    // Removes the name only while it is still this file's: after a commit it may be the next writer's.
    if Self.isSame(descriptor, path) { unlink(path) }
    close(descriptor)
  }

  /// Adds `bytes` at the end.
  package func append(_ bytes: [UInt8]) throws(FileStorageError) {
    let isWritten = bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
    guard isWritten else { throw failure() }
  }

  /// Makes the draft `owner`'s, with the mode `mode`, before it has the file's name. Afterwards the name may lead to another file: whoever owns
  /// the folder can put a link there.
  package func give(to owner: UInt32, group: UInt32, mode: UInt16) throws(FileStorageError) {
    // Others cannot give their files away, and may not be in the group.
    guard geteuid() != 0 && owner == geteuid() || fchown(descriptor, owner, group) == 0,
      fchmod(descriptor, mode_t(mode & 0o777)) == 0
    else { throw failure() }
  }

  /// Gives the draft owner, group and mode of the file that it replaces.
  ///
  /// - Parameter mask: the bits of the mode that the draft may have.
  /// - Returns: `false` when there is no regular file under the name.
  package func giveAsBefore(mask: UInt16 = 0o777) throws(FileStorageError) -> Bool {
    var before = stat()
    guard lstat(target.path, &before) == 0, before.st_mode & S_IFMT == S_IFREG else { return false }
    try give(to: before.st_uid, group: before.st_gid, mode: UInt16(before.st_mode & 0o777) & mask)
    return true
  }

  /// Gives the content the file's name; durable on return.
  ///
  /// - Parameter replacing: Whether to replace an existing file.
  /// - Throws: ``FileStorageError/exists(path:)`` when the file exists and must not be replaced, even if another program has just
  ///   created it. It is then left alone.
  package func commit(replacing: Bool) throws(FileStorageError) {
    try synchronize()
    if replacing {
      guard rename(path, target.path) == 0 else { throw failure() }
    } else if link(path, target.path) == 0 {
      // Unlike renaming, linking never replaces what appeared meanwhile.
      unlink(path)
    } else {
      let isWithoutLinks = [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno)
      guard errno != EEXIST else { throw .exists(path: target.path) }
      guard isWithoutLinks else { throw failure() }
      // The file system has no links. The lock at least keeps other drafts of the same file from coming between.
      guard !ProtectedFiles.isThere(target) else { throw .exists(path: target.path) }
      guard rename(path, target.path) == 0 else { throw failure() }
    }
    try ProtectedFiles.synchronize(folder: target.deletingLastPathComponent())
  }

  private func synchronize() throws(FileStorageError) {
    #if canImport(Darwin)
      // On Apple platforms fsync stops at the drive's own cache.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw failure() }
  }

  /// Opens and locks the file at `path`, creating it when absent.
  private static func open(_ path: String, for target: URL) throws(FileStorageError) -> Int32 {
    while true {
      let descriptor = try ProtectedFiles.openLocked(path, for: target)
      // The previous writer may have renamed the file that we opened. Then it is the target, and must not be touched. A writer that
      // crashed may have left it as a second name of the target.
      if isSame(descriptor, target.path) {
        if isSame(descriptor, path) { unlink(path) }
      } else if isSame(descriptor, path) {
        var status = stat()
        // Another user's file is refused before this. In a folder that others may write to, they can still link one of ours there.
        guard fstat(descriptor, &status) == 0, status.st_nlink == 1 else {
          close(descriptor)
          throw .unprotected(path: path, reason: "it is also the name of another file")
        }
        return descriptor
      }
      close(descriptor)
    }
  }

  /// Whether `path`, links not followed, is the name of the open file.
  private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
    var (opened, named) = (stat(), stat())
    return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
      && opened.st_dev == named.st_dev
  }

  private func failure() -> FileStorageError {
    .unwritable(path: target.path, reason: ProtectedFiles.lastReason())
  }
}
