import Accounts
import Assembly
import BindingFormats
import CommandSettings
import Foundation
import JourneyStore
import JourneyStorePostgres
import Logging
import PasswordHashing
import SecurityEvents

/// Work on a server's own data without the server, even while it runs.
extension ServerPlace {
  /// Runs `body` with the existing store, and closes it.
  ///
  /// - Throws: `CommandFailure` when there is no store; none is created.
  func use<Result>(_ body: (any ServerStore) async throws -> Result) async throws -> Result {
    let store: any ServerStore
    if let address {
      try await PostgresInspection.requireServer(address, directory: directory)
      store = try await PostgresStore.open(address, directory: directory, keys: Self.keys())
    } else {
      _ = try databaseFile()
      store = try SQLiteStore(directory: directory, keys: Self.keys())
    }
    return try await ending({ try await store.close() }) { try await body(store) }
  }

  /// Runs `body` with the existing store, for commands that change nothing.
  func look<Result>(_ body: (any ServerStore) async throws -> Result) async throws -> Result {
    guard let address else { return try await use(body) }
    let store = try await PostgresStore.openForReading(address, directory: directory, keys: Self.keys())
    return try await ending({ try await store.close() }) { try await body(store) }
  }

  /// The sources of the server's key in the settings; empty for the data folder.
  static func keys() throws -> [any ServerKeySource] {
    try (CurrentSettings.given("serve.server-key")?.texts ?? []).map(ServerKeyPlaces.source)
  }

  /// The path of the SQLite database.
  ///
  /// - Throws: `CommandFailure` when the file does not exist.
  func databaseFile() throws -> String {
    let file = directory.appending(path: "sealring.sqlite").path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: file) else {
      throw CommandFailure.notFound(
        "There is no \(printable(file)). Name the server's folder with --data, or its PostgreSQL with --database; some commands "
          + "ask a server instead, with --server."
      )
    }
    return file
  }

  /// The account's record in the store.
  ///
  /// - Throws: `CommandFailure` when the account does not exist.
  static func account(_ username: String, realm: String, in store: any ServerStore) async throws -> UserRecord
  {
    let realm = RealmPath(realm).name
    guard let user = try await store.user(named: username, realm: realm) else {
      throw CommandFailure.notFound(
        "Realm \(printable(realm)) has no account \(printable(username)). Check the name, --realm and --data."
      )
    }
    return user
  }

  /// The account service for the store; it writes events beside the database.
  func accounts(_ store: any ServerStore) -> Accounts {
    Accounts(store: store, passwords: PasswordHasher(), events: events, clock: { Date() })
  }

  /// Events of acts that happen without the server, written beside the database.
  var events: SecurityEvents {
    SecurityEvents(
      sink: LocalEvents(place: self), clock: { Date() }, logger: Logger(label: "sealring.events"))
  }

  /// Writes the event of an act without the server beside the database, durably.
  func note(_ event: SecurityEvent) async throws {
    let file = EventFile(path: directory.appending(path: "events.jsonl").path(percentEncoded: false))
    var event = event
    event.actor = "\(NSUserName()) on this machine"
    event.time = Date()
    try await file.record(event, durably: true)
  }
}

/// Writes the events of a command's acts on accounts.
private struct LocalEvents: SecurityEventSink {
  let place: ServerPlace

  func record(_ event: SecurityEvent, durably: Bool) async throws { try await place.note(event) }
}
