package import PrivateFiles

/// Runs `body` and translates its file errors into those of a key store.
package func reportingFiles<Result>(_ body: () throws -> Result) throws -> Result {
  do { return try body() } catch let error as FileStorageError { throw error.forKeys }
}

extension FileStorageError {
  /// The error that a key store throws for this one.
  package var forKeys: any Error {
    switch self {
    case .unreadable(let path, let reason): DeviceKeyError.unreadable(path: path, reason: reason)
    case .unwritable(let path, let reason): DeviceKeyError.unwritable(path: path, reason: reason)
    case .locked(let path):
      DeviceKeyError.unwritable(path: path, reason: "another process holds this lock and does not release it")
    case .exists, .unprotected: self
    }
  }
}
