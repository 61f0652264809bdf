internal import PrivateFiles

/// Runs `body`, and says in the terms of a key store why a file could not be used.
package func reportingFiles<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch FileStorageError.unreadable(let path, let reason) {
    throw DeviceKeyError.unreadable(path: path, reason: reason)
  } catch FileStorageError.unwritable(let path, let reason) {
    throw DeviceKeyError.unwritable(path: path, reason: reason)
  }
}
