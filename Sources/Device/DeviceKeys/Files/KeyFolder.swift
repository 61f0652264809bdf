internal import Bytes
internal import Crypto
package import Foundation
internal import PrivateFiles

/// A folder in which a store keeps one file for each key, or for a record that belongs to a key. Stores of several kinds may share it.
///
/// Reading throws `FileStorageError`, which ``reportingFiles(_:)`` translates; changes throw ``DeviceKeyError``.
package struct KeyFolder: Sendable {
  package let url: URL
  /// The ending of the files' names, without the dot.
  private let suffix: String
  /// The largest file that is read, in bytes.
  private let limit: Int

  package init(_ url: URL, suffix: String, limit: Int) {
    self.url = url
    self.suffix = suffix
    self.limit = limit
  }

  /// The file of a tag. Tags may hold any characters, so its name is a digest of the tag.
  package func file(of tag: String) -> URL {
    url.appendingPathComponent(Base64URL.encode(SHA256.hash(data: Array(tag.utf8))) + ".\(suffix)")
  }

  /// The file that counts the wrong PINs of a tag.
  package func attemptsFile(of tag: String) -> URL { file(of: tag).appendingPathExtension("tries") }

  package var exists: Bool {
    get throws { try ProtectedFiles.folderExists(url) }
  }

  /// All files with the suffix; empty when the folder does not exist.
  package var files: [URL] {
    get throws {
      try ProtectedFiles.names(in: url).filter { $0.hasSuffix(".\(suffix)") }.map(url.appendingPathComponent)
    }
  }

  /// The content of `file`, `nil` when there is no such file.
  package func read(_ file: URL) throws -> [UInt8]? { try ProtectedFiles.read(file, limit: limit) }

  /// The content of `file` as `parse` reads it; `nil` when there is no such file.
  package func content<Content>(
    of file: URL, _ parse: ([UInt8]) throws -> Content
  ) throws -> Content? {
    do { return try read(file).map(parse) } catch let damage as JSONRecord.Damage {
      throw FileStorageError.unreadable(path: file.path, reason: damage.reason)
    }
  }

  /// What `read` returns for all files, and the errors of those that cannot be read. A file that was removed since the names were read, for
  /// which `read` returns `nil`, is not a fault.
  nonisolated(nonsending) package func readable<Content>(
    _ read: nonisolated(nonsending) (URL) async throws -> Content?
  ) async throws -> (contents: [Content], faults: [DeviceKeyError]) {
    var (contents, faults): ([Content], [DeviceKeyError]) = ([], [])
    for file in try reportingFiles({ try files }) {
      do {
        if let content = try await read(file) { contents.append(content) }
      } catch let fault as DeviceKeyError {
        guard case .unreadable = fault else { throw fault }
        faults.append(fault)
      }
    }
    return (contents, faults)
  }

  /// The content of the file of `tag` as `parse` reads it; `nil` when there is no such file. `name` returns the tag in the content, which
  /// has to be `tag`.
  package func content<Content>(
    ofKey tag: String, named name: (Content) -> String, _ parse: ([UInt8]) throws -> Content
  ) throws -> Content? {
    let file = file(of: tag)
    guard let content = try content(of: file, parse) else { return nil }
    guard name(content) == tag else {
      throw FileStorageError.unreadable(path: file.path, reason: "it is the file of another key")
    }
    return content
  }

  /// Whether `tag` has a file, damaged or not.
  package func hasFile(of tag: String) throws -> Bool {
    try reportingFiles { try read(file(of: tag)) } != nil
  }

  // MARK: Changes

  /// Creates the folder unless it exists, and removes temporary files that crashes have left in it.
  package func create() throws {
    try ProtectedFiles.createFolder(url)
    removeUnfinishedFiles()
  }

  /// Creates the file of `tag` with the content `bytes`.
  ///
  /// - Throws: ``DeviceKeyError/exists(tag:)``, ``DeviceKeyError/unwritable(path:reason:)``.
  package func add(_ bytes: [UInt8], for tag: String) throws {
    do {
      try reportingFiles { try ProtectedFiles.create(file(of: tag), with: bytes) }
    } catch FileStorageError.exists {
      throw DeviceKeyError.exists(tag: tag)
    }
  }

  /// Replaces the file of `tag` if it still has the content `old`. This does not restore a key that was deleted meanwhile, and does not
  /// undo another change of the PIN.
  package func replace(_ old: [UInt8], with new: [UInt8], for tag: String) async throws {
    let file = file(of: tag)
    try await withLock {
      guard let now = try read(file) else { throw DeviceKeyError.notFound(tag: tag) }
      guard now == old else {
        throw DeviceKeyError.unwritable(path: file.path, reason: "another program changed it meanwhile")
      }
      try ProtectedFiles.replace(file, with: new)
    }
  }

  /// Removes the file of `tag`, its count of wrong PINs and the lock of that count. Succeeds when there is nothing, not even a folder.
  package func remove(_ tag: String) async throws {
    guard try reportingFiles({ try exists }) else { return }
    try await withLock {
      let count = attemptsFile(of: tag)
      for file in [file(of: tag), count, PINAttemptRecords.turns(of: count)] {
        try ProtectedFiles.remove(file)
      }
    }
  }

  private func withLock(_ body: () throws -> Void) async throws { try await Self.withLock(in: url, body) }

  /// Runs `body` while no other task and no other process holds the lock of `folder`, which must exist: for changes that read before they
  /// write. The whole folder has one lock, which is held only for a moment and never removed with a key. Not re-entrant.
  ///
  /// - Throws: What `body` throws, with errors of files as ``DeviceKeyError``.
  static func withLock<Result>(in folder: URL, _ body: () throws -> Result) async throws -> Result {
    do {
      return try await FileLock(file: folder.appendingPathComponent(".keys.lock")).withLock(body)
    } catch let error as FileStorageError {
      throw error.forKeys
    }
  }

  /// Removes counts of wrong PINs, and their locks, whose keys are gone, which a crash can leave behind: a new key of the same tag then
  /// starts without failures. Call it before a key is made.
  package func removeOrphanedCounts() async throws {
    func orphans() throws -> [String] {
      let names = Set(try ProtectedFiles.names(in: url))
      return [".tries", ".tries.lock"].flatMap { ending in
        names.filter {
          $0.hasSuffix(".\(suffix)\(ending)") && !names.contains(String($0.dropLast(ending.count)))
        }
      }
    }
    guard try !reportingFiles(orphans).isEmpty else { return }
    // Looks again under the lock: a key may have been made meanwhile.
    try await withLock {
      for name in try orphans() { try ProtectedFiles.remove(url.appendingPathComponent(name)) }
    }
  }

  /// Removes temporary files that no process is writing to. Each key has its own tag, so no later write would replace them. A file that
  /// cannot be removed is left for the next call.
  private func removeUnfinishedFiles() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    let endings = [".\(suffix).tmp", ".\(suffix).tries.tmp"]
    for name in names where name.hasPrefix(".") && endings.contains(where: name.hasSuffix) {
      Self.removeUnfinished(url.appendingPathComponent(name).path)
    }
  }

  private static func removeUnfinished(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // The writer holds this lock until its file is in place; the kernel releases it when the writer dies.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
    // Between our opening and locking it, the writer may have moved the file to its place: then the name is gone or new.
    var opened = stat()
    var named = stat()
    guard fstat(descriptor, &opened) == 0, lstat(path, &named) == 0, opened.st_ino == named.st_ino,
      opened.st_dev == named.st_dev
    else { return }
    unlink(path)
  }
}
