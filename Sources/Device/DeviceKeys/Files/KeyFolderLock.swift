package import Foundation
internal import PrivateFiles

/// The lock for changes in a folder of keys that have to look before they write: counting a wrong PIN, changing a PIN,
/// removing a key.
///
/// One for the whole folder, because it is held for a moment only, and never has to be removed with a key. Not
/// re-entrant.
package enum KeyFolderLock {
  /// Runs `body` while no other task and no other process holds the lock of `folder`, which must exist.
  ///
  /// - Throws: What `body` throws, files' errors in the terms of a key store; ``DeviceKeyError/unwritable(path:reason:)``
  ///   when somebody does not let go of the lock.
  package static func withLock<Result>(in folder: URL, _ body: () throws -> Result) async throws -> Result {
    let lock = FileLock(file: folder.appendingPathComponent(".keys.lock"))
    do {
      return try await lock.withLock { try reportingFiles(body) }
    } catch FileStorageError.unwritable(let path, let reason) {
      throw DeviceKeyError.unwritable(path: path, reason: reason)
    } catch FileStorageError.locked(let path) {
      throw DeviceKeyError.unwritable(
        path: path, reason: "another process holds this lock and does not let go")
    }
  }
}
