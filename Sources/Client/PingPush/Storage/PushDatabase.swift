#if !canImport(Security)
  internal import Foundation
  internal import GRDB
  internal import PingLogger
  internal import PrivateFiles
  internal import SealedRecords

  /// The sealed SQLite file of ``PushKeychainStorage``, and what its records are kept apart by.
  final class PushDatabase: Sendable {
    struct Services: Sendable {
      var credentials: String
      var notifications: String
      var tokens: String
    }

    let services: Services
    let logger: any Logger
    let now: @Sendable () -> Date
    private let file: SealedDatabase<PushStorageError>

    init(
      home: ClientHome, group: String?, services: Services, logger: any Logger,
      now: @escaping @Sendable () -> Date
    ) {
      self.services = services
      self.logger = logger
      self.now = now
      file = SealedDatabase(.init(name: "push", version: 1, tables: Self.tables), home: home, group: group) {
        PushStorageError.storageFailure($0, $1)
      }
    }

    /// Runs `body` in one transaction that keeps other writers out.
    func write<Value: Sendable>(
      _ what: String, _ body: @escaping @Sendable (Database, RecordSealer) throws -> Value
    ) async throws -> Value {
      try await file.write(what, body)
    }

    func read<Value: Sendable>(
      _ what: String, _ body: @escaping @Sendable (Database, RecordSealer) throws -> Value
    ) async throws -> Value {
      try await file.read(what, body)
    }

    private static let tables = """
      CREATE TABLE push_credentials (
        service TEXT NOT NULL, id TEXT NOT NULL, account BLOB NOT NULL, created INTEGER NOT NULL, box BLOB NOT NULL,
        PRIMARY KEY (service, id)
      ) WITHOUT ROWID;
      CREATE INDEX push_credentials_account ON push_credentials (service, account);
      CREATE TABLE push_notifications (
        service TEXT NOT NULL, id TEXT NOT NULL, message BLOB, credential TEXT NOT NULL, created INTEGER NOT NULL,
        ends INTEGER NOT NULL, pending INTEGER NOT NULL, box BLOB NOT NULL,
        PRIMARY KEY (service, id)
      );
      CREATE UNIQUE INDEX push_notifications_message ON push_notifications (service, message)
        WHERE message IS NOT NULL;
      CREATE INDEX push_notifications_created ON push_notifications (service, created);
      CREATE INDEX push_notifications_credential ON push_notifications (service, credential, created);
      CREATE INDEX push_notifications_pending ON push_notifications (service, ends) WHERE pending = 1;
      CREATE TABLE push_tokens (service TEXT NOT NULL PRIMARY KEY, box BLOB NOT NULL) WITHOUT ROWID;
      """
  }
#endif
