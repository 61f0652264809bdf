package import Foundation
package import PingStorage

/// The lock for changes in a folder of keys that have to look before they write: counting a wrong PIN, changing a PIN,
/// removing a key.
///
/// One for the whole folder, because it is held for a moment only, and never has to be removed with a key. Not
/// re-entrant.
package enum KeyFolderLock {
  /// The lock of `folder`, which must exist.
  package static func lock(in folder: URL) -> FileLock {
    FileLock(file: folder.appendingPathComponent(".keys.lock"))
  }
}
