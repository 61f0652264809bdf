internal import Foundation
internal import PrivateFiles

/// The system calls of an ``EventFile``.
///
/// `@unchecked Sendable`: only an ``EventFile`` uses it, which awaits each call before it makes the next, so calls never overlap; the
/// thread pool's lock orders the accesses of its threads.
final class EventFileDisk: @unchecked Sendable {
  private let path: String
  private let sizeLimit: Int
  private let keep: Int
  private var descriptor: Int32 = -1

  init(path: String, sizeLimit: Int, keep: Int) {
    self.path = path
    self.sizeLimit = sizeLimit
    self.keep = keep
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Appends whole lines.
  func append(_ lines: [UInt8], durably: Bool) throws {
    try openCurrent()
    if !lines.isEmpty, try size() > 0, try size() + lines.count > sizeLimit { try rotate() }
    // Another process may have died inside a line, or found the disk full.
    try write((try endsWithLineFeed(size: size()) ? [] : [UInt8(ascii: "\n")]) + lines)
    if durably, fsync(descriptor) != 0 { throw failure("synced to disk", path) }
  }

  // MARK: Opening

  /// Opens the file unless it is open. Opens it again when another process has rotated it or it was removed.
  private func openCurrent() throws {
    if descriptor >= 0 {
      if Self.isOpen(descriptor, at: path) == true { return }
      close(descriptor)
      descriptor = -1
    }
    let file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard file >= 0 else { throw failure("opened", path) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw SecurityEventError("\(path) cannot hold security events: it is not a regular file.")
    }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 || fchmod(file, 0o600) == 0 else {
      close(file)
      throw SecurityEventError("\(path) cannot hold security events: it belongs to another user.")
    }
    descriptor = file
    if status.st_size == 0 { try synchronizeFolder() }
  }

  /// Whether the file is empty or ends with a complete line.
  private func endsWithLineFeed(size: Int) throws -> Bool {
    guard size > 0 else { return true }
    var last: UInt8 = 0
    let count = pread(descriptor, &last, 1, off_t(size - 1))
    guard count >= 0 else { throw failure("read", path) }
    return count == 0 || last == UInt8(ascii: "\n")
  }

  // MARK: Writing

  private func size() throws -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("read", path) }
    return Int(status.st_size)
  }

  private func write(_ bytes: [UInt8]) throws {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Foundation.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("written", path) }
      written += count
    }
  }

  // MARK: Rotation

  /// Renames the full file and the older ones, unless another process was faster, and opens a new one.
  private func rotate() throws {
    let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw failure("locked", path + ".lock") }
    defer { close(lock) }
    // Another user could hold it forever.
    var status = stat()
    guard fstat(lock, &status) == 0, status.st_uid == geteuid() else {
      throw SecurityEventError("\(path).lock belongs to another user; remove it.")
    }
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { throw failure("locked", path + ".lock") }
    }
    if Self.isOpen(descriptor, at: path) == true {
      // Lines in the system's buffers must not get lost when the file changes its name.
      guard fsync(descriptor) == 0 else { throw failure("synced to disk", path) }
      // A rotation that a crash ended has left a free number, and the files after it stay where they are.
      let free = (1..<keep).first { access("\(path).\($0)", F_OK) != 0 } ?? keep
      for number in stride(from: free - 1, through: 1, by: -1) {
        guard rename("\(path).\(number)", "\(path).\(number + 1)") == 0 || errno == ENOENT else {
          throw failure("renamed", "\(path).\(number)")
        }
      }
      guard rename(path, path + ".1") == 0 else { throw failure("renamed", path) }
    }
    close(descriptor)
    descriptor = -1
    try openCurrent()
    try synchronizeFolder()
  }

  private func synchronizeFolder() throws {
    do throws(FileStorageError) {
      try ProtectedFiles.synchronize(folder: URL(filePath: path).deletingLastPathComponent())
    } catch { throw SecurityEventError("Security events: \(error.errorMessage)") }
  }

  /// Whether `path` names the open file; `nil` when it names no file.
  static func isOpen(_ descriptor: Int32, at path: String) -> Bool? {
    var (opened, named) = (stat(), stat())
    guard fstat(descriptor, &opened) == 0, lstat(path, &named) == 0 else { return nil }
    return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }

  private func failure(_ what: String, _ path: String) -> SecurityEventError {
    SecurityEventError("Security events: \(path) cannot be \(what): \(String(cString: strerror(errno))).")
  }
}
