package import PrivateFiles

/// Runs `body`, and says in the terms of a key store why a file could not be used.
package func reportingFiles<Result>(_ body: () throws -> Result) throws -> Result {
  do { return try body() } catch let error as FileStorageError { throw error.forKeys }
}

extension FileStorageError {
  /// What it means to the user of a key store.
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
