import Foundation
import JourneyStore
import PrivateFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A server's data folder in the making: it appears under its name complete, or not at all.
final class RestoredFolder {
  private let target: URL
  /// `nil` when the folder is there, with the right key, and stays as it is.
  private let draft: URL?
  private var isCommitted = false

  /// - Parameters:
  ///   - target: where the folder is to be; absent or empty.
  ///   - keys: the server's keys, and their files' names.
  ///   - keepsKeys: whether a folder that holds the same keys will do: the database is elsewhere.
  /// - Throws: `CommandFailure` when something is there.
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

  /// The place of a database that is not there yet.
  func database() throws -> URL {
    let folder = draft ?? target
    try StoreDirectory(folder).createPrivateFile("sealring.sqlite")
    return folder.appending(path: "sealring.sqlite")
  }

  /// Adds to a file beside the database. Nothing when the folder stays as it is.
  func append(_ bytes: [UInt8], to name: String) throws {
    guard let draft else { return }
    let path = draft.appending(path: name).path(percentEncoded: false)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure(path) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do { try file.write(contentsOf: bytes) } catch { throw failure(path) }
    guard fsync(descriptor) == 0 else { throw failure(path) }
  }

  /// Gives the folder its name.
  ///
  /// - Parameter mayRemain: whether the draft is of use without it, because the database is in place already.
  func commit(mayRemain: Bool) throws {
    guard let draft else { return }
    isCommitted = mayRemain
    try ProtectedFiles.synchronize(folder: draft)
    let (from, to) = (draft.path(percentEncoded: false), target.path(percentEncoded: false))
    // Replaces a folder only when it is empty.
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

  /// Removes everything, unless the folder has its name.
  func discard() {
    guard let draft, !isCommitted else { return }
    try? FileManager.default.removeItem(at: draft)
  }

  private func failure(_ path: String) -> CommandFailure {
    CommandFailure("\(printable(path)) cannot be written: \(String(cString: strerror(errno))).")
  }
}
