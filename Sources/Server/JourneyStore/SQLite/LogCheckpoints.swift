internal import Concurrency
internal import GRDB
internal import GRDBSQLite

/// Brings the pages of the write-ahead log into the database while writes go on.
///
/// SQLite does it in the commit that finds the log full, and whoever waits for that commit waits for all these pages and their flush, too.
/// Here they are written on a connection and a queue of their own: a checkpoint of the kind PASSIVE waits for nobody and keeps nobody
/// waiting (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
///
/// While somebody writes all the time, such a checkpoint never has the last pages, and the log does not begin anew. A commit that finds it
/// too long brings the few that are left, and with that it does.
final class LogCheckpoints: Sendable {
  private struct State {
    var isRunning = false
    /// Pages of the log when the last one began.
    var begun = 0
  }

  /// Pages of the log, 4 KiB each, at which one begins; and between two, while writes go on without a pause in which the log could begin anew.
  private let due: Int
  private let step: Int

  /// Pages at which a commit does the rest.
  private let most: Int

  /// Where checkpoints run.
  let connection: DatabaseQueue
  private let state = Locked(State())

  /// - Parameters:
  ///   - path: of the database.
  ///   - due: Pages; pages that are written many times until then go into the database once.
  init(path: String, configuration: Configuration, due: Int = 4000, step: Int = 1000, most: Int = 16_000)
    throws
  {
    (self.due, self.step, self.most) = (due, step, most)
    connection = try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Watches the log of `db`, the connection that writes, in place of SQLite. It must not write any more when this ends.
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

  /// Waits for the one under way, and brings the rest of the log into the database. The log is empty then, and the database whole by
  /// itself: whoever copies its file has everything, and what was deleted is in neither. Call it when nothing is written any more.
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
      // Fewer pages than before: the log has begun anew.
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

  /// What it could not do, because a reader or another process was in its way, the next one does.
  private static func checkpoint(_ connection: SQLiteConnection) {
    sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }
}
