package import Foundation
package import Logging
internal import PrivateFiles

/// The folder of a store: created for its owner alone, opened by one process at a time.
package struct StoreDirectory: Sendable {
  private let url: URL

  package init(_ url: URL) { self.url = url }

  package func path(of name: String) -> String { file(name).path }

  /// Creates the folder with mode 0700 when it is absent. An existing folder keeps its mode, because it may have other uses; a warning is
  /// logged when others may write to it.
  package func create(logger: Logger) throws {
    let manager = FileManager.default
    var isDirectory: ObjCBool = false
    if !manager.fileExists(atPath: url.path, isDirectory: &isDirectory) {
      do {
        try manager.createDirectory(
          at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        throw StoreError.unavailable(
          "the folder \(url.path) cannot be created: \(FileReason.of(error))")
      }
    } else if !isDirectory.boolValue {
      throw StoreError.unavailable("\(url.path) is a file, not a folder; choose another data folder")
    } else if let mode = mode(of: url.path), mode & 0o022 != 0 {
      logger.warning(
        "others may write to \(url.path) (mode \(String(mode, radix: 8))); run: chmod 700 \(url.path)")
    }
  }

  /// Runs `body` while no other process is inside the same call on this folder.
  package func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    let path = path(of: "sealring.lock")
    let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("opened", path) }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw failure("locked", path) }
    }
    return try body()
  }

  /// Makes sure that the file exists and is for its owner alone.
  ///
  /// A file that exists is not opened: closing any descriptor of a database drops the locks that this process holds
  /// on it (https://sqlite.org/howtocorrupt.html §2.2).
  package func createPrivateFile(_ name: String) throws {
    let path = path(of: name)
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      close(descriptor)
    } else if errno == EEXIST {
      try makePrivate(name)
    } else {
      throw failure("created", path)
    }
  }

  /// Removes the file's permissions for everybody but its owner. For root in another user's folder it has to be a file and not a link: that
  /// user could have any file of the machine changed.
  package func makePrivate(_ name: String) throws {
    let path = path(of: name)
    guard let mode = mode(of: path), mode & 0o077 != 0 else { return }
    var folder = stat()
    let isTrusted = geteuid() != 0 || (stat(url.path, &folder) == 0 && folder.st_uid == 0)
    guard fchmodat(AT_FDCWD, path, 0o600, isTrusted ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else {
      throw failure("made private", path)
    }
  }

  /// Writes a file that appears whole or not at all, survives a crash once this returns, and replaces nothing. `false` when a file of that
  /// name exists.
  package func createAtomically(_ name: String, _ bytes: [UInt8]) throws -> Bool {
    do throws(FileStorageError) { try ProtectedFiles.create(file(name), with: bytes) } catch {
      if case .exists = error { return false }
      throw StoreError.unavailable(error.errorMessage)
    }
    return true
  }

  /// Like ``createAtomically(_:_:)``, but replaces a file of that name.
  package func replaceAtomically(_ name: String, _ bytes: [UInt8]) throws {
    try translating { () throws(FileStorageError) in try ProtectedFiles.replace(file(name), with: bytes) }
  }

  /// Gives a file that root has made to the owner of the folder, who could not read it otherwise. Does nothing unless it runs as root.
  package func giveToOwner(_ name: String) throws {
    var folder = stat()
    guard geteuid() == 0, stat(url.path, &folder) == 0 else { return }
    guard lchown(path(of: name), folder.st_uid, folder.st_gid) == 0 else {
      throw failure("given to the owner of its folder", path(of: name))
    }
  }

  /// The bytes of a file, at most `limit`; `nil` when there is none.
  package func read(_ name: String, limit: Int) throws -> [UInt8]? {
    try translating { () throws(FileStorageError) in try ProtectedFiles.read(file(name), limit: limit) }
  }

  /// The names of the files in the folder, sorted, without hidden ones; none when there is no folder.
  package func names() throws -> [String] {
    try translating { () throws(FileStorageError) in try ProtectedFiles.names(in: url) }
  }

  private func translating<Value>(_ body: () throws(FileStorageError) -> Value) throws -> Value {
    do throws(FileStorageError) { return try body() } catch {
      throw StoreError.unavailable(error.errorMessage)
    }
  }

  private func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// Whether only the file's owner may read or change it; `false` when that is not known.
  func isPrivate(_ name: String) -> Bool { (mode(of: path(of: name)) ?? 0o777) & 0o077 == 0 }

  private func mode(of path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.posixPermissions] as? NSNumber)?.intValue
  }

  private func failure(_ what: String, _ path: String) -> StoreError {
    .unavailable("\(path) cannot be \(what): \(String(cString: strerror(errno)))")
  }
}
