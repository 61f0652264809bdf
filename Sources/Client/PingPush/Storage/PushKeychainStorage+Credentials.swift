#if !canImport(Security)
  internal import Foundation
  internal import GRDB
  internal import PingLogger
  internal import SealedRecords

  extension PushKeychainStorage {
    public func storePushCredential(_ credential: PushCredential) async throws {
      let service = database.services.credentials
      let json = try encoded(credential, "the credential")
      let (id, issuer, account) = (credential.id, credential.issuer, credential.accountName)
      let created = credential.createdAt.microseconds
      try await database.write("the credential \(id) was not stored") { db, sealer in
        try db.execute(
          sql: """
            INSERT INTO push_credentials (service, id, account, created, box) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (service, id) DO UPDATE
            SET account = excluded.account, created = excluded.created, box = excluded.box
            """,
          arguments: [
            service, id, sealer.hash("account", issuer, account), created,
            try sealer.seal(json, for: Self.place("credential", service, id)),
          ])
      }
    }

    public func getAllPushCredentials() async throws -> [PushCredential] {
      try await credentials(where: "1", [])
    }

    public func retrievePushCredential(credentialId: String) async throws -> PushCredential? {
      let service = database.services.credentials
      return try await database.read("the credential \(credentialId) was not read") { db, sealer in
        guard
          let box = try Data.fetchOne(
            db, sql: "SELECT box FROM push_credentials WHERE service = ? AND id = ?",
            arguments: [service, credentialId])
        else { return nil }
        return try RecordCoder.decode(
          PushCredential.self, from: sealer.open(box, for: Self.place("credential", service, credentialId)))
      }
    }

    public func getCredentialByIssuerAndAccount(
      issuer: String, accountName: String
    ) async throws -> PushCredential? {
      let hash = try await database.read("the credentials were not read") { _, sealer in
        sealer.hash("account", issuer, accountName)
      }
      return try await credentials(where: "account = ?", [hash]).first
    }

    public func removePushCredential(credentialId: String) async throws -> Bool {
      let service = database.services.credentials
      return try await database.write("the credential \(credentialId) was not removed") { db, _ in
        try db.execute(
          sql: "DELETE FROM push_credentials WHERE service = ? AND id = ?",
          arguments: [service, credentialId])
        return db.changesCount > 0
      }
    }

    public func clearPushCredentials() async throws {
      let service = database.services.credentials
      try await database.write("the credentials were not removed") { db, _ in
        try db.execute(sql: "DELETE FROM push_credentials WHERE service = ?", arguments: [service])
      }
    }

    private func credentials(where condition: String, _ values: [Data]) async throws -> [PushCredential] {
      let (service, logger) = (database.services.credentials, database.logger)
      return try await database.read("the credentials were not read") { db, sealer in
        let rows = try Row.fetchAll(
          db,
          sql:
            "SELECT id, box FROM push_credentials WHERE service = ? AND \(condition) ORDER BY created, id",
          arguments: StatementArguments([service]) + StatementArguments(values))
        return rows.compactMap { row in
          Self.record(PushCredential.self, "credential", service, row, sealer, logger)
        }
      }
    }

    // MARK: Device token

    public func storePushDeviceToken(_ token: PushDeviceToken) async throws {
      let service = database.services.tokens
      let json = try encoded(token, "the device token")
      try await database.write("the device token was not stored") { db, sealer in
        try db.execute(
          sql: """
            INSERT INTO push_tokens (service, box) VALUES (?, ?)
            ON CONFLICT (service) DO UPDATE SET box = excluded.box
            """, arguments: [service, try sealer.seal(json, for: Self.place("token", service, "current"))])
      }
    }

    public func getCurrentPushDeviceToken() async throws -> PushDeviceToken? {
      let service = database.services.tokens
      return try await database.read("the device token was not read") { db, sealer in
        guard
          let box = try Data.fetchOne(
            db, sql: "SELECT box FROM push_tokens WHERE service = ?", arguments: [service])
        else { return nil }
        return try RecordCoder.decode(
          PushDeviceToken.self, from: sealer.open(box, for: Self.place("token", service, "current")))
      }
    }

    public func clearPushDeviceTokens() async throws {
      let service = database.services.tokens
      try await database.write("the device token was not removed") { db, _ in
        try db.execute(sql: "DELETE FROM push_tokens WHERE service = ?", arguments: [service])
      }
    }
  }

  extension PushKeychainStorage {
    /// What a record is bound to: it does not open in the place of another one.
    static func place(_ kind: String, _ service: String, _ id: String) -> String {
      RecordSealer.place(kind, service, id)
    }

    func encoded(_ record: some Encodable, _ what: String) throws -> Data {
      do { return try RecordCoder.encode(record) } catch {
        throw PushStorageError.storageFailure("\(what) has no JSON form", error)
      }
    }

    /// The record of a row with `id` and `box`; `nil`, and a line in the log, when it cannot be read. One bad record must not
    /// hide the others.
    static func record<Record: Decodable>(
      _ type: Record.Type, _ kind: String, _ service: String, _ row: Row, _ sealer: RecordSealer,
      _ logger: any Logger
    ) -> Record? {
      let id: String = row["id"]
      do {
        return try RecordCoder.decode(type, from: sealer.open(row["box"], for: place(kind, service, id)))
      } catch {
        logger.w("The stored \(kind) \(id) cannot be read and is left out", error: error)
        return nil
      }
    }
  }
#endif
