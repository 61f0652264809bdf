/// Stores the credentials for one-time codes.
///
/// Implementations are called from several tasks at once.
public protocol OathStorage: Sendable {
  /// Stores `credential`, replacing one with the same id.
  ///
  /// - Throws: ``OathStorageError``
  func storeOathCredential(_ credential: OathCredential) async throws

  /// The credential of that id.
  func retrieveOathCredential(credentialId: String) async throws -> OathCredential?

  /// All credentials.
  func getAllOathCredentials() async throws -> [OathCredential]

  /// Removes a credential; `false` when there was none.
  func removeOathCredential(credentialId: String) async throws -> Bool

  /// Removes all credentials.
  func clearOathCredentials() async throws
}

/// A storage that several processes may use at once, with the two operations that must not be a read followed by a write.
///
/// With any other ``OathStorage`` a client serialises its own calls, and no other process may use that storage.
public protocol OathTransactionalStorage: OathStorage {
  /// Stores a new credential, unless one has its issuer and account.
  ///
  /// - Throws: ``OathStorageError/duplicateCredential(_:)``
  func addOathCredential(_ credential: OathCredential) async throws

  /// Changes a credential with one conditional write, which is durable when the call returns. Nothing is written when
  /// `change` throws. `change` may run more than once.
  ///
  /// - Returns: What `change` returns; `nil` when there is no such credential.
  func updateOathCredential<Value: Sendable>(
    credentialId: String, _ change: @escaping @Sendable (inout OathCredential) throws -> Value
  ) async throws -> Value?
}
