package import Foundation

/// Files that only their owner can read, and that a crash leaves with their old or their new content, never half.
///
/// Files have mode 0600 in folders of mode 0700. A change is written to a temporary file in the same folder, made
/// durable, and renamed over the old one; then the folder is made durable. All functions are safe to call from several
/// processes at once.
package enum ProtectedFiles {
  /// The most that ``read(_:limit:)`` accepts by default, in bytes.
  package static let standardLimit = 16 << 20

  /// Makes sure that `folder` exists with mode 0700, creating missing parents with the same mode.
  ///
  /// An existing folder of this user is tightened to 0700, with two exceptions. One is a folder where every user may put files, as in
  /// `/tmp`, because its creator may want it open. The other is a folder of the system, such as `/run` or `/etc/ssl`, which root may
  /// name by mistake. Links are not followed.
  ///
  /// - Parameter tightens: `false` for a folder whose content protects itself, such as a socket. An existing folder then keeps its
  ///   mode, and may be root's. But nobody else may write to it, not even with the sticky bit: they could take the name first.
  /// - Throws: ``FileStorageError/unprotected(path:reason:)`` when it belongs to another user, or others may enter or change
  ///   it and it is not ours to tighten.
  package static func createFolder(_ folder: URL, tightening tightens: Bool = true) throws(FileStorageError) {
    let path = folder.path
    var status = stat()
    if lstat(path, &status) != 0 {
      guard errno == ENOENT else { throw .unwritable(path: path, reason: lastReason()) }
      let parent = folder.standardizedFileURL.deletingLastPathComponent()
      if stat(parent.path, &status) != 0, parent.path != path { try createFolder(parent) }
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
        throw .unwritable(path: path, reason: lastReason())
      }
      try synchronize(folder: parent)
    }
    // From here on the descriptor refers to this one folder, whatever its name comes to mean.
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = lastReason()
      guard lstat(path, &status) == 0 else { throw .unwritable(path: path, reason: reason) }
      switch status.st_mode & S_IFMT {
      case S_IFLNK: throw .unprotected(path: path, reason: "it is a link")
      case S_IFDIR: throw .unwritable(path: path, reason: reason)
      default: throw .unwritable(path: path, reason: "it is not a folder")
      }
    }
    defer { close(descriptor) }
    guard fstat(descriptor, &status) == 0 else { throw .unwritable(path: path, reason: lastReason()) }
    let isOurs = status.st_uid == geteuid()
    if !tightens {
      guard isOurs || status.st_uid == 0 else {
        throw .unprotected(path: path, reason: "it belongs to another user")
      }
      guard status.st_mode & 0o022 == 0 else {
        throw .unprotected(path: path, reason: "other users may write to it")
      }
      return
    }
    guard isOurs || geteuid() == 0 && !liesInSharedFolder(folder, at: .anyDepth) else {
      throw .unprotected(path: path, reason: "it belongs to another user")
    }
    guard status.st_mode & 0o002 == 0 else {
      throw .unprotected(path: path, reason: "every user may write to it")
    }
    guard status.st_mode & 0o077 != 0 else { return }
    guard isOurs, !liesInSharedFolder(folder, at: .firstLevel), !isSystems(folder) else {
      throw .unprotected(path: path, reason: "other users may enter it")
    }
    guard fchmod(descriptor, 0o700) == 0 else { throw .unprotected(path: path, reason: lastReason()) }
  }

  /// Whether `folder` is a standard folder of Unix systems (hier(7)), or lies directly in one for the system's own programs.
  static func isSystems(_ folder: URL) -> Bool {
    let names = folder.standardizedFileURL.pathComponents.drop { $0 == "/" }
    guard let first = names.first else { return true }
    let (shared, own) = (
      [
        "bin", "boot", "dev", "home", "lib", "lib64", "media", "mnt", "opt", "proc", "sbin", "srv", "sys",
        "tmp",
      ], ["etc", "run", "usr", "var"]
    )
    return names.count == 1 ? (shared + own).contains(first) : names.count == 2 && own.contains(first)
  }

  private enum Depth { case firstLevel, anyDepth }

  /// Whether every user may put files next to `folder`, or next to a folder above it.
  private static func liesInSharedFolder(_ folder: URL, at depth: Depth) -> Bool {
    var folder = folder.standardizedFileURL
    while folder.path != "/", !folder.path.isEmpty {
      folder.deleteLastPathComponent()
      var status = stat()
      // A folder that cannot be examined is not trusted either.
      if stat(folder.path, &status) != 0 || status.st_mode & 0o002 != 0 { return true }
      if depth == .firstLevel { return false }
    }
    return false
  }

  /// The bytes of `file`, or `nil` when there is no such file.
  ///
  /// - Throws: ``FileStorageError/unreadable(path:reason:)`` for everything else: no permission, not a regular file
  ///   (links are not followed), more than `limit` bytes.
  package static func read(_ file: URL, limit: Int = standardLimit) throws(FileStorageError) -> [UInt8]? {
    let path = file.path
    // O_NONBLOCK: opening a pipe that was put there must not wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .unreadable(path: path, reason: lastReason())
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, reason: lastReason()) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .unreadable(path: path, reason: "it is not a regular file")
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw .unreadable(path: path, reason: lastReason())
      }
      bytes.append(contentsOf: buffer[..<count])
      guard bytes.count <= limit else {
        throw .unreadable(path: path, reason: "it has more than \(limit) bytes")
      }
    }
  }

  /// Puts `bytes` into `file`, in place of what was there; durable on return. The folder must exist.
  package static func replace(_ file: URL, with bytes: some Sequence<UInt8>) throws(FileStorageError) {
    let draft = try PrivateFileDraft(of: file)
    try draft.append(Array(bytes))
    try draft.commit(replacing: true)
  }

  /// Puts `bytes` into `file`; durable on return. The folder must exist.
  ///
  /// - Throws: ``FileStorageError/exists(path:)`` when the file exists, even if another process has just created it. It is then left
  ///   alone.
  package static func create(_ file: URL, with bytes: some Sequence<UInt8>) throws(FileStorageError) {
    let draft = try PrivateFileDraft(of: file)
    guard !isThere(file) else { throw .exists(path: file.path) }
    try draft.append(Array(bytes))
    try draft.commit(replacing: false)
  }

  /// The bytes of `file`. A missing file is first created with the bytes of `make`. All processes get the same bytes.
  package static func readOrCreate(
    _ file: URL, limit: Int = standardLimit, make: () -> [UInt8]
  ) throws(FileStorageError) -> [UInt8] {
    if let bytes = try read(file, limit: limit) { return bytes }
    let bytes = make()
    do {
      try create(file, with: bytes)
      return bytes
    } catch .exists {
      guard let others = try read(file, limit: limit) else {
        throw .unreadable(path: file.path, reason: "it was removed while it was being read")
      }
      return others
    }
  }

  /// Removes `file`; durable on return. Succeeds when there is no such file.
  package static func remove(_ file: URL) throws(FileStorageError) {
    guard unlink(file.path) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return }
      throw .unwritable(path: file.path, reason: lastReason())
    }
    try synchronize(folder: file.deletingLastPathComponent())
  }

  /// The names of the files in `folder`, sorted, without temporary, lock and other hidden files; empty when there is no
  /// such folder.
  package static func names(in folder: URL) throws(FileStorageError) -> [String] {
    guard try folderExists(folder) else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
        .sorted()
    } catch {
      throw .unreadable(path: folder.path, reason: error.localizedDescription)
    }
  }

  /// Whether something has the name of `file`, even a broken link.
  package static func isThere(_ file: URL) -> Bool {
    var status = stat()
    return lstat(file.path, &status) == 0
  }

  /// Whether `folder` exists, readable or not.
  package static func folderExists(_ folder: URL) throws(FileStorageError) -> Bool {
    var status = stat()
    if stat(folder.path, &status) == 0 { return true }
    if errno == ENOENT { return false }
    throw .unreadable(path: folder.path, reason: lastReason())
  }

  /// Makes creations, renames and removals in `folder` durable.
  package static func synchronize(folder: URL) throws(FileStorageError) {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unwritable(path: folder.path, reason: lastReason()) }
    defer { close(descriptor) }
    // Some network and FUSE file systems cannot sync a folder and say so; they are as durable as they get.
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
      throw .unwritable(path: folder.path, reason: lastReason())
    }
  }

  /// Opens a file, creating it when absent, and locks it against other processes until it is closed. The holder must not wait for a
  /// task, because waiting for the lock blocks the thread.
  ///
  /// - Throws: ``FileStorageError/unprotected(path:reason:)`` for a file of another user, who could hold its lock forever, and for a
  ///   pipe, which others may have open.
  static func openLocked(_ path: String, for target: URL) throws(FileStorageError) -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw .unwritable(path: target.path, reason: lastReason()) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFREG
    else {
      close(descriptor)
      throw .unprotected(path: path, reason: "another user made this file, or it is not a regular file")
    }
    var locked = flock(descriptor, LOCK_EX)
    while locked != 0, errno == EINTR { locked = flock(descriptor, LOCK_EX) }
    guard locked == 0 else {
      let reason = lastReason()
      close(descriptor)
      throw .unwritable(path: target.path, reason: reason)
    }
    return descriptor
  }

  /// The text of the calling thread's last system error.
  static func lastReason() -> String { String(cString: strerror(errno)) }
}
