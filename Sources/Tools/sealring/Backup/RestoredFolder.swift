import Foundation
import JourneyStore
import PrivateFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A server's data folder during a restore: it appears under its name complete, or not at all.
final class RestoredFolder {
  private let target: URL
  /// `nil` when the folder exists with the right keys, and is kept.
  private let draft: URL?
  private var isCommitted = false

  /// - Parameters:
  ///   - target: the folder's path; absent or empty.
  ///   - keys: the server's keys, with the names of their files.
  ///   - keepsKeys: whether an existing folder with the same keys may be used, because the database is elsewhere.
  /// - Throws: `CommandFailure` when the path exists and cannot be used.
  init(_ target: URL, keys: [(name: String, content: StoredSecret)], keepsKeys: Bool) throws {
    var path = target.absoluteURL.path(percentEncoded: false)
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    let target = URL(filePath: path, directoryHint: .notDirectory)
    self.target = target
    // Links are not followed.
    if let found = try? FileManager.default.attributesOfItem(atPath: path) {
      guard found[.type] as? FileAttributeType == .typeDirectory else {
        throw CommandFailure.conflict("\(printable(path)) is there, and is not a folder. Choose another.")
      }
      let content = try FileManager.default.contentsOfDirectory(atPath: path)
      let hasKeys = try keys.allSatisfy { key in
        try ProtectedFiles.read(target.appending(path: key.name), limit: 4096).map { StoredSecret($0) }
          == key.content
      }
      if keepsKeys, hasKeys {
        draft = nil
        return
      }
      guard content.isEmpty else {
        throw CommandFailure.conflict(
          "\(printable(path)) is not empty. Move it away, or choose another folder: nothing is replaced.")
      }
    }
    let parent = target.deletingLastPathComponent()
    let draft = parent.appending(path: ".\(target.lastPathComponent).restoring-\(UUID().uuidString)")
    guard mkdir(draft.path(percentEncoded: false), 0o700) == 0 else {
      throw CommandFailure.forbidden(
        "No folder can be made in \(printable(parent.path(percentEncoded: false))): \(String(cString: strerror(errno)))."
      )
    }
    self.draft = draft
    do {
      for key in keys {
        try ProtectedFiles.create(draft.appending(path: key.name), with: key.content.reveal())
      }
    } catch {
      discard()
      throw error
    }
  }

  /// Creates the database's file, which must not exist yet.
  func database() throws -> URL {
    let folder = draft ?? target
    try StoreDirectory(folder).createPrivateFile("sealring.sqlite")
    return folder.appending(path: "sealring.sqlite")
  }

  /// Appends to a file beside the database. Does nothing when an existing folder is kept.
  func append(_ bytes: [UInt8], to name: String) throws {
    guard let draft else { return }
    let path = draft.appending(path: name).path(percentEncoded: false)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure(path) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do { try file.write(contentsOf: bytes) } catch { throw failure(path) }
    guard fsync(descriptor) == 0 else { throw failure(path) }
  }

  /// Moves the draft to the folder's final name.
  ///
  /// - Parameter mayRemain: whether to keep the draft if that fails, because the database is already in place.
  func commit(mayRemain: Bool) throws {
    guard let draft else { return }
    isCommitted = mayRemain
    try ProtectedFiles.synchronize(folder: draft)
    let (from, to) = (draft.path(percentEncoded: false), target.path(percentEncoded: false))
    // `rename` replaces a folder only if it is empty.
    guard rename(from, to) == 0 else {
      let reason = String(cString: strerror(errno))
      throw CommandFailure.conflict(
        mayRemain
          ? "The database is restored, but the folder could not be named \(printable(to)) (\(reason)). It is \(printable(from)): rename it."
          : "\(printable(to)) cannot be made: \(reason).")
    }
    isCommitted = true
    try ProtectedFiles.synchronize(folder: target.deletingLastPathComponent())
  }

  /// Removes the draft, unless it was committed.
  func discard() {
    guard let draft, !isCommitted else { return }
    try? FileManager.default.removeItem(at: draft)
  }

  private func failure(_ path: String) -> CommandFailure {
    CommandFailure("\(printable(path)) cannot be written: \(String(cString: strerror(errno))).")
  }
}
