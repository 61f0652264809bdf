internal import Concurrency
internal import GRDB
internal import GRDBSQLite

/// Copies the pages of the write-ahead log into the database while writes continue.
///
/// SQLite does it in the commit that finds the log full, and that commit then takes as long as writing and flushing all these pages. Here a
/// checkpoint runs on a connection and a queue of its own: one of the kind PASSIVE neither waits nor blocks others
/// (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
///
/// During continuous writes such a checkpoint never gets the last pages, and the log does not restart. A commit that finds the log too long
/// copies the few pages that are left, so that it does.
final class LogCheckpoints: Sendable {
  private struct State {
    var isRunning = false
    /// Pages of the log when the last checkpoint began.
    var begun = 0
  }

  /// Pages of the log, 4 KiB each, at which a checkpoint begins; and those between two checkpoints, while continuous writes keep the log
  /// from restarting.
  private let due: Int
  private let step: Int

  /// Pages of the log at which a commit copies the rest.
  private let most: Int

  /// Where checkpoints run.
  let connection: DatabaseQueue
  private let state = Locked(State())

  /// - Parameters:
  ///   - path: the path of the database.
  ///   - due: Pages of the log. A page that is written many times until then is copied once.
  init(path: String, configuration: Configuration, due: Int = 4000, step: Int = 1000, most: Int = 16_000)
    throws
  {
    (self.due, self.step, self.most) = (due, step, most)
    connection = try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Watches the log of `db`, the connection that writes, in place of SQLite. The connection must not write after this object is released.
  func watch(_ db: Database) {
    let checkpoints = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_wal_hook(
      db.sqliteConnection,
      { checkpoints, handle, _, pages in
        guard let checkpoints, let handle else { return SQLITE_OK }
        let all = Unmanaged<LogCheckpoints>.fromOpaque(checkpoints).takeUnretainedValue()
        all.look(at: Int(pages), of: handle)
        return SQLITE_OK
      }, checkpoints)
  }

  /// Waits for the checkpoint under way, and copies the rest of the log into the database. The log is empty then: a copy of the database
  /// file has everything, and deleted data is in neither file. Call it when nothing is written any more.
  ///
  /// Another process that reads or writes at this moment keeps the log as it is, and the last one to close empties it.
  func close(after database: any DatabaseWriter) throws {
    try connection.close()
    do {
      try database.barrierWriteWithoutTransaction { db in
        guard let connection = db.sqliteConnection else { return }
        sqlite3_busy_timeout(connection, 500)
        sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
      // It was closed before.
    }
  }

  private func look(at pages: Int, of writer: SQLiteConnection) {
    guard pages >= due else { return }
    guard pages < most else { return Self.checkpoint(writer) }
    let begins = state.withLock { [step] state in
      // Fewer pages than before: the log has restarted.
      guard !state.isRunning, pages < state.begun || pages >= state.begun + step else { return false }
      state = State(isRunning: true, begun: pages)
      return true
    }
    guard begins else { return }
    connection.asyncWriteWithoutTransaction { [state] db in
      if let connection = db.sqliteConnection { Self.checkpoint(connection) }
      state.withLock { $0.isRunning = false }
    }
  }

  /// Pages that a reader or another process keeps it from copying are left to the next checkpoint.
  private static func checkpoint(_ connection: SQLiteConnection) {
    sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }
}
