internal import GRDB

extension StoreError {
  /// Carries out `body`, and translates SQLite's errors for the store's callers.
  static func translated<Value>(
    _ place: String, _ subject: String = "", _ body: () throws -> Value
  ) throws -> Value {
    do { return try body() } catch { throw translating(error, place: place, subject: subject) }
  }

  static func translated<Value>(
    _ place: String, _ subject: @autoclosure () -> String = "", _ body: () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch { throw translating(error, place: place, subject: subject()) }
  }

  /// Translates an error of SQLite for the store's callers; errors that are not SQLite's pass unchanged.
  ///
  /// - Parameters:
  ///   - place: The database's path.
  ///   - subject: What was to be stored, for a conflict.
  static func translating(_ error: any Error, place: String, subject: String) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    // The text avoids `error.description`, which may show the SQL, and SQLite's words, which tell people less than these.
    let number = "(SQLite \(error.extendedResultCode.rawValue))"
    switch (error.resultCode, error.extendedResultCode) {
    case (_, .SQLITE_CONSTRAINT_UNIQUE), (_, .SQLITE_CONSTRAINT_PRIMARYKEY):
      return StoreError.conflict(subject)
    case (_, .SQLITE_CONSTRAINT_FOREIGNKEY):
      return StoreError.missing("the user of \(subject)")
    case (_, .SQLITE_CONSTRAINT_TRIGGER) where error.message == KeyFence.message:
      return OutdatedKey(KeyFence.message)
    case (.SQLITE_CORRUPT, _), (.SQLITE_NOTADB, _):
      return StoreError.corrupt(
        "\(place) \(number): it is not a whole database; nothing was changed; restore the file from a backup")
    case (.SQLITE_FULL, _):
      return StoreError.unavailable("\(place): no space left \(number); free some, then repeat")
    case (.SQLITE_BUSY, _), (.SQLITE_LOCKED, _):
      return StoreError.unavailable(
        "\(place): another process keeps it locked \(number); repeat, or end that process")
    case (.SQLITE_READONLY, _), (.SQLITE_CANTOPEN, _), (.SQLITE_PERM, _):
      return StoreError.unavailable(
        "\(place): it cannot be opened or written \(number); check owner and permissions of file and folder")
    case (.SQLITE_IOERR, _):
      return StoreError.unavailable(
        "\(place): the disk cannot be read or written \(number); check it, and the system's log")
    default:
      return StoreError.unavailable("\(place): the database refused \(number)")
    }
  }
}
