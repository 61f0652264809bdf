internal import Foundation
@_exported public import KeychainNames
public import PingLogger
internal import SealedRecords

#if canImport(Security)
  public import Security
#else
  public import PrivateFiles
#endif

/// Stores credentials: in the keychain on Apple platforms, elsewhere in an encrypted SQLite file in the folder `oath` of the home
/// folder.
///
/// In the keychain every record is a generic password: the account is its id, and the value its JSON form. A change is one
/// conditional write: if another process was faster, it is repeated on that process's record.
///
/// In the file every record is sealed with AES-256-GCM under a key of the home (file mode 0600, beside the keys of other stored
/// data), and accounts are compared by a keyed hash. Identifiers and times are readable. Several processes may use one file; a
/// change is durable when the call returns. The file is opened at the first call.
public final class OathKeychainStorage: OathTransactionalStorage {
  private let credentials: any RecordStore<OathStoredCredential>

  /// A storage in the app's keychain, or in the user's home.
  ///
  /// - Parameters:
  ///   - service: Separates the credentials of a user's apps.
  ///   - securityOptions: For a file only the access group has an effect: it names the file that apps share.
  public convenience init(
    service: String = "com.pingidentity.oath", logger: (any Logger)? = nil,
    securityOptions: OathKeychainSecurityOptions = .standard
  ) {
    let logger = logger ?? LogManager.logger
    #if canImport(Security)
      let engine = KeychainEngine(
        accessGroup: securityOptions.accessGroup, protection: securityOptions.protection, logger: logger,
        failure: Self.failure)
    #else
      let engine = Self.file(in: .standard, securityOptions.accessGroup, logger)
    #endif
    self.init(engine, service)
  }

  /// A storage in the app's keychain, or in the user's home.
  ///
  /// - Parameters:
  ///   - service: Separates the credentials of a user's apps.
  ///   - accessGroup: The keychain access group of the apps that share the records; elsewhere these apps share a file of that name.
  ///   - accessibility: When the keychain's items can be read; has no effect on a file.
  @_disfavoredOverload
  public convenience init(
    service: String = "com.pingidentity.oath", logger: (any Logger)? = nil, accessGroup: String? = nil,
    accessibility: KeychainAccessibility = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
  ) {
    self.init(
      service: service, logger: logger,
      securityOptions: OathKeychainSecurityOptions(accessibility: accessibility, accessGroup: accessGroup))
  }

  private init(_ engine: any RecordEngine, _ service: String) {
    credentials = engine.records(
      .init(name: "credential", table: "oath_credentials", id: { $0.credential.id }) {
        ["account": Self.account(of: $0.credential), "created": .time($0.credential.createdAt)]
      }, service: service)
  }

  private static func account(of credential: OathCredential) -> RecordValue {
    .hashed(["account", credential.issuer, credential.accountName])
  }

  private static let failure: @Sendable (String, (any Error)?) -> OathStorageError = { what, cause in
    (cause as? DamagedRecord).map { .storageCorrupted($0.localizedDescription) }
      ?? .storageFailure(what, cause)
  }

  #if !canImport(Security)
    /// A storage in a separate home, for tests and for several identities in one process.
    public convenience init(
      home: ClientHome, service: String = "com.pingidentity.oath", logger: (any Logger)? = nil,
      accessGroup: String? = nil
    ) {
      self.init(Self.file(in: home, accessGroup, logger ?? LogManager.logger), service)
    }

    private static func file(
      in home: ClientHome, _ group: String?, _ logger: any Logger
    ) -> SealedDatabase<OathStorageError> {
      let tables = """
        CREATE TABLE oath_credentials (
          service TEXT NOT NULL, id TEXT NOT NULL, account BLOB NOT NULL, created INTEGER NOT NULL, box BLOB NOT NULL,
          PRIMARY KEY (service, id)
        ) WITHOUT ROWID;
        CREATE INDEX oath_credentials_account ON oath_credentials (service, account);
        """
      return SealedDatabase(
        "oath", version: 1, tables: tables, home: home, group: group, logger: logger,
        failure: failure)
    }
  #endif

  /// Stores `credential`, but keeps a stored counter that is higher.
  ///
  /// - Throws: ``OathStorageError/storageFailure(_:_:)``, also for a credential without its secret, such as one read from JSON: it must
  ///   not replace a credential with a secret.
  public func storeOathCredential(_ credential: OathCredential) async throws {
    guard !credential.secretKey.base32.isEmpty else {
      throw OathStorageError.storageFailure("the credential \(credential.id) has no secret")
    }
    try await credentials.write("the credential \(credential.id) was not stored") { table in
      do {
        let isThere: Void? = try table.update(credential.id) { stored in
          var new = credential
          new.keepProgress(of: stored.credential)
          stored.credential = new
        }
        if isThere == nil { try table.put(OathStoredCredential(credential)) }
      } catch is DamagedRecord { try table.put(OathStoredCredential(credential)) }
    }
  }

  public func addOathCredential(_ credential: OathCredential) async throws {
    try await credentials.write("the credential \(credential.id) was not stored") { table in
      let same: [RecordCondition] = [
        .equal("account", Self.account(of: credential)), .equal("id", .text(credential.id)),
      ]
      guard try same.allSatisfy({ try table.count(where: [$0]) == 0 }) else {
        throw OathStorageError.duplicateCredential(credential.name)
      }
      try table.put(OathStoredCredential(credential))
    }
  }

  public func updateOathCredential<Value: Sendable>(
    credentialId: String, _ change: @escaping @Sendable (inout OathCredential) throws -> Value
  ) async throws -> Value? {
    try await credentials.write("the credential \(credentialId) was not stored") {
      try $0.update(credentialId) { try change(&$0.credential) }
    }
  }

  public func retrieveOathCredential(credentialId: String) async throws -> OathCredential? {
    try await credentials.read("the credential \(credentialId) was not read") {
      try $0.read(credentialId)?.credential
    }
  }

  /// Returns all credentials, the oldest first. Records that cannot be read are left out and logged, so that they do not hide the others.
  public func getAllOathCredentials() async throws -> [OathCredential] {
    try await credentials.read("the credentials were not read") {
      try $0.records(where: [], limit: nil).map(\.credential)
    }
  }

  public func removeOathCredential(credentialId: String) async throws -> Bool {
    try await credentials.write("the credential \(credentialId) was not removed") {
      try $0.remove(credentialId)
    }
  }

  public func clearOathCredentials() async throws {
    try await credentials.write("the credentials were not removed") { try $0.removeAll() }
  }
}
