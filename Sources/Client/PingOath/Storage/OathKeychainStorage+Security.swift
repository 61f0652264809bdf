#if canImport(Security)
  internal import Concurrency
  internal import Foundation
  public import PingLogger
  internal import SealedRecords
  public import Security

  /// Keeps credentials: in the keychain on Apple platforms, elsewhere in an encrypted SQLite file.
  ///
  /// Every record is a generic password: the account is its id, and the value its JSON form. A change is one conditional
  /// write: it fails, and is made again on what is there then, when another process was faster.
  public final class OathKeychainStorage: OathTransactionalStorage, Sendable {
    private let records: KeychainRecords<OathStorageError>
    private let mutex = AsyncMutex()

    /// A storage in the app's keychain.
    public init(
      service: String = "com.pingidentity.oath", logger: (any Logger)? = nil,
      securityOptions: OathKeychainSecurityOptions = .standard
    ) {
      records = KeychainRecords(
        service: service, accessGroup: securityOptions.accessGroup, protection: securityOptions.protection,
        logger: logger ?? LogManager.logger
      ) { OathStorageError.storageFailure($0, $1) }
    }

    /// A storage in the app's keychain.
    ///
    /// - Parameters:
    ///   - accessGroup: The keychain access group of the apps that share it.
    ///   - accessibility: When the items can be read.
    @_disfavoredOverload
    public convenience init(
      service: String = "com.pingidentity.oath", logger: (any Logger)? = nil, accessGroup: String? = nil,
      accessibility: CFString = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
    ) {
      self.init(
        service: service, logger: logger,
        securityOptions: OathKeychainSecurityOptions(accessibility: accessibility, accessGroup: accessGroup))
    }

    /// A credential that is there keeps its counter when it is ahead.
    public func storeOathCredential(_ credential: OathCredential) async throws {
      try await mutex.withLock {
        let isThere = try records.update(OathCredential.self, id: credential.id) { stored in
          var credential = credential
          credential.keepProgress(of: stored)
          stored = credential
          return true
        }
        if isThere == nil { try records.write(credential, id: credential.id) }
      }
    }

    public func addOathCredential(_ credential: OathCredential) async throws {
      try await mutex.withLock {
        let isTaken = try records.all(OathCredential.self).contains {
          $0.id == credential.id
            || ($0.issuer == credential.issuer && $0.accountName == credential.accountName)
        }
        guard !isTaken else { throw OathStorageError.duplicateCredential(credential.name) }
        try records.write(credential, id: credential.id)
      }
    }

    public func updateOathCredential<Value: Sendable>(
      credentialId: String, _ change: @escaping @Sendable (inout OathCredential) throws -> Value
    ) async throws -> Value? {
      try await mutex.withLock { try records.update(OathCredential.self, id: credentialId, change) }
    }

    public func retrieveOathCredential(credentialId: String) async throws -> OathCredential? {
      try records.read(OathCredential.self, id: credentialId)
    }

    /// The oldest first.
    public func getAllOathCredentials() async throws -> [OathCredential] {
      try records.all(OathCredential.self).sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    public func removeOathCredential(credentialId: String) async throws -> Bool {
      try await mutex.withLock { try records.remove(id: credentialId) }
    }

    public func clearOathCredentials() async throws {
      try await mutex.withLock { _ = try records.remove(id: nil) }
    }
  }
#endif
