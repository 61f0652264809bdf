public import Foundation
internal import GRDB

/// Inspects the database of a server's data folder without changing it; the server may run.
public enum StoreInspection {
  /// The problems of the database, one sentence each; empty when it is whole and `server.key` belongs to it.
  ///
  /// - Throws: ``StoreError`` when it cannot be inspected, for example because the file is missing or is not a database.
  public static func problems(in directory: URL) async throws -> [String] {
    let files = StoreDirectory(directory)
    let place = files.path(of: "sealring.sqlite")
    return try await StoreError.translated(place) {
      let (database, key) = try SQLiteWhole.existing(in: directory)
      return try await database.queue.read { db in
        let answers = try String.fetchAll(db, sql: "PRAGMA integrity_check(20)")
        var problems = answers == ["ok"] ? [] : answers
        let orphans = try Int.fetchOne(db, sql: "SELECT count(*) FROM pragma_foreign_key_check") ?? 0
        if orphans > 0 { problems.append("\(orphans) records refer to others that do not exist") }
        do { try db.takeKeys(into: key) } catch let error as StoreError { return problems + ["\(error)"] }
        do {
          if let ledger = try db.inspectedLedger(key, LedgerMark(folder: files)) {
            // Only the right key opens it.
            _ = try db.ask(EvidenceSQL.signer(key))
            _ = try db.ask(EvidenceSQL.heads(of: ledger))
          }
        } catch let error as StoreError { problems.append("\(error)") }
        return problems
      }
    }
  }

  /// The fingerprint of the key that the database of the folder uses; without a database, of the folder's first key.
  ///
  /// - Throws: ``StoreError`` when the folder has no `server.key`, a damaged one, or lacks the key in use.
  package static func fingerprint(of directory: URL) throws -> String {
    let files = StoreDirectory(directory)
    guard let key = try ServerKey(existingIn: files) else {
      throw StoreError.unavailable("\(directory.path) has no server.key")
    }
    let place = files.path(of: "sealring.sqlite")
    guard FileManager.default.fileExists(atPath: place) else { return try key.fingerprint }
    try StoreError.translated(place) {
      try SQLiteWhole(reading: place).queue.read { try $0.takeKeys(into: key) }
    }
    return try key.fingerprint
  }
}
