/// Keeps the credentials of one-time codes.
///
/// Implementations are called from several tasks at once.
public protocol OathStorage: Sendable {
  /// Keeps `credential`, in place of one with its id.
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
/// A client over any other ``OathStorage`` keeps its own calls apart, and no other process may use that storage.
public protocol OathTransactionalStorage: OathStorage {
  /// Keeps a new credential, unless there is one of its issuer and account.
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
