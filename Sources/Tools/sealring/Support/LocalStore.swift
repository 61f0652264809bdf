import CommandSettings
import Foundation
import JourneyServer
import JourneyStore
import SecurityEvents

/// A server's own data, for commands that work without the server, also while it runs.
struct LocalStore {
  /// The folder of database and keys.
  let directory: URL

  /// Runs `body` with the store that is there, and closes it.
  ///
  /// - Throws: `CommandFailure` when there is none, rather than making one.
  func use<Result>(_ body: (SQLiteStore) async throws -> Result) async throws -> Result {
    _ = try databaseFile()
    let store = try SQLiteStore(directory: directory, keys: Self.keys())
    return try await ending({ try await store.close() }) { try await body(store) }
  }

  /// Where the server's key is, in the form of `--server-key`, when the settings name a place.
  static var keyPlaces: [String] { CurrentSettings.given("serve.server-key")?.texts ?? [] }

  /// The same.
  static func keys() throws -> [any ServerKeySource] { try keyPlaces.map(ServerKeyPlaces.source) }

  /// The database's file.
  ///
  /// - Throws: `CommandFailure` when there is none.
  func databaseFile() throws -> String {
    let file = directory.appending(path: "sealring.sqlite").path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: file) else {
      throw CommandFailure(
        "There is no \(printable(file)). Name the server's folder with --data, or ask a server with --server.",
        code: .notFound)
    }
    return file
  }

  /// The account, as the store has it.
  ///
  /// - Throws: `CommandFailure` when there is none.
  static func account(_ username: String, realm: String, in store: SQLiteStore) async throws -> UserRecord {
    guard let user = try await store.user(named: username, realm: realm) else {
      throw CommandFailure(
        "Realm \(printable(realm)) has no account \(printable(username)). Check the name, --realm and --data.",
        code: .notFound)
    }
    return user
  }

  /// Writes down the act, beside the database, durably: it was done without the server.
  func note(_ kind: SecurityEvent.Kind, of user: UserRecord) async throws {
    let file = EventFile(path: directory.appending(path: "events.jsonl").path(percentEncoded: false))
    try await file.record(
      SecurityEvent(
        kind, realm: user.realm, account: user.username, actor: "\(NSUserName()) on this machine",
        time: Date()),
      durably: true)
  }
}
