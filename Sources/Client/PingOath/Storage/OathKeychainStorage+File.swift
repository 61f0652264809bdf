#if !canImport(Security)
  internal import Foundation
  internal import GRDB
  @_exported public import KeychainNames
  public import PingLogger
  public import PrivateFiles
  internal import SealedRecords

  /// Keeps credentials: in the keychain on Apple platforms, elsewhere in an encrypted SQLite file in the folder `oath` of the
  /// ``ClientHome``.
  ///
  /// Every record is sealed with AES-256-GCM under a key of the home (file mode 0600, beside the keys of other stored data),
  /// and accounts are compared by a keyed hash. Identifiers and times are readable. Several processes may use one file; a
  /// change is durable when the call returns. The file is opened at the first call.
  public final class OathKeychainStorage: OathTransactionalStorage {
    private let database: SealedDatabase<OathStorageError>
    private let service: String
    private let logger: any Logger

    /// A storage in the user's home.
    ///
    /// - Parameters:
    ///   - service: Keeps the credentials of several apps of one user apart.
    ///   - securityOptions: Of no effect here but for the access group: a file of its own for those that share it.
    public convenience init(
      service: String = "com.pingidentity.oath", logger: (any Logger)? = nil,
      securityOptions: OathKeychainSecurityOptions = .standard
    ) {
      self.init(
        home: .standard, service: service, logger: logger, accessGroup: securityOptions.accessGroup)
    }

    /// A storage in the user's home.
    ///
    /// - Parameters:
    ///   - service: Keeps the credentials of several apps of one user apart.
    ///   - accessGroup: A file of its own for those that share it.
    ///   - accessibility: Of no effect here.
    @_disfavoredOverload
    public convenience init(
      service: String = "com.pingidentity.oath", logger: (any Logger)? = nil, accessGroup: String? = nil,
      accessibility: KeychainAccessibility = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
    ) {
      self.init(home: .standard, service: service, logger: logger, accessGroup: accessGroup)
    }

    /// A storage in a home of its own, for tests and for several identities in one process.
    public init(
      home: ClientHome, service: String = "com.pingidentity.oath", logger: (any Logger)? = nil,
      accessGroup: String? = nil
    ) {
      self.service = service
      self.logger = logger ?? LogManager.logger
      database = SealedDatabase(
        .init(name: "oath", version: 1, tables: Self.tables), home: home, group: accessGroup
      ) { OathStorageError.storageFailure($0, $1) }
    }

    private static let tables = """
      CREATE TABLE oath_credentials (
        service TEXT NOT NULL, id TEXT NOT NULL, account BLOB NOT NULL, created INTEGER NOT NULL, box BLOB NOT NULL,
        PRIMARY KEY (service, id)
      ) WITHOUT ROWID;
      CREATE INDEX oath_credentials_account ON oath_credentials (service, account);
      """

    /// A credential that is there keeps its counter when it is ahead.
    public func storeOathCredential(_ credential: OathCredential) async throws {
      try await database.write("the credential \(credential.id) was not stored") { [self] db, sealer in
        var credential = credential
        if let stored = try? record(credential.id, db, sealer) { credential.keepProgress(of: stored) }
        try put(credential, db, sealer)
      }
    }

    public func addOathCredential(_ credential: OathCredential) async throws {
      try await database.write("the credential \(credential.id) was not stored") { [self] db, sealer in
        let other = try String.fetchOne(
          db, sql: "SELECT id FROM oath_credentials WHERE service = ? AND (account = ? OR id = ?)",
          arguments: [
            service, sealer.hash("account", credential.issuer, credential.accountName), credential.id,
          ])
        guard other == nil else { throw OathStorageError.duplicateCredential(credential.name) }
        try put(credential, db, sealer)
      }
    }

    public func updateOathCredential<Value: Sendable>(
      credentialId: String, _ change: @escaping @Sendable (inout OathCredential) throws -> Value
    ) async throws -> Value? {
      let result: Result<Value, any Error>? = try await database.write(
        "the credential \(credentialId) was not stored"
      ) { [self] db, sealer in
        guard var credential = try record(credentialId, db, sealer) else { return nil }
        // What `change` throws is not the storage's failure.
        let value: Value
        do { value = try change(&credential) } catch { return .failure(error) }
        try put(credential, db, sealer)
        return .success(value)
      }
      return try result?.get()
    }

    public func retrieveOathCredential(credentialId: String) async throws -> OathCredential? {
      try await database.read("the credential \(credentialId) was not read") { [self] db, sealer in
        try record(credentialId, db, sealer)
      }
    }

    /// The oldest first. Records that cannot be read are left out, with a line in the log: one must not hide the others.
    public func getAllOathCredentials() async throws -> [OathCredential] {
      try await database.read("the credentials were not read") { [self] db, sealer in
        let ids = try String.fetchAll(
          db, sql: "SELECT id FROM oath_credentials WHERE service = ? ORDER BY created, id",
          arguments: [service])
        return ids.compactMap { id in
          do { return try record(id, db, sealer) } catch {
            logger.w("The stored credential \(id) cannot be read and is left out", error: error)
            return nil
          }
        }
      }
    }

    public func removeOathCredential(credentialId: String) async throws -> Bool {
      try await database.write("the credential \(credentialId) was not removed") { [service] db, _ in
        try db.execute(
          sql: "DELETE FROM oath_credentials WHERE service = ? AND id = ?",
          arguments: [service, credentialId])
        return db.changesCount > 0
      }
    }

    public func clearOathCredentials() async throws {
      try await database.write("the credentials were not removed") { [service] db, _ in
        try db.execute(sql: "DELETE FROM oath_credentials WHERE service = ?", arguments: [service])
      }
    }

    private func record(_ id: String, _ db: Database, _ sealer: RecordSealer) throws -> OathCredential? {
      guard
        let box = try Data.fetchOne(
          db, sql: "SELECT box FROM oath_credentials WHERE service = ? AND id = ?", arguments: [service, id])
      else { return nil }
      do {
        return try RecordCoder.decode(
          OathCredential.self, from: sealer.open(box, for: RecordSealer.place("credential", service, id)))
      } catch {
        throw OathStorageError.storageCorrupted("the credential \(id) does not open")
      }
    }

    private func put(_ credential: OathCredential, _ db: Database, _ sealer: RecordSealer) throws {
      let json = try RecordCoder.encode(credential)
      try db.execute(
        sql: """
          INSERT INTO oath_credentials (service, id, account, created, box) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (service, id) DO UPDATE
          SET account = excluded.account, created = excluded.created, box = excluded.box
          """,
        arguments: [
          service, credential.id, sealer.hash("account", credential.issuer, credential.accountName),
          credential.createdAt.microseconds,
          try sealer.seal(json, for: RecordSealer.place("credential", service, credential.id)),
        ])
    }
  }
#endif
