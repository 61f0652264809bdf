internal import Concurrency

/// An app's storage with serialised changes. It also remembers each counter's progress: a used counter that the app's storage
/// returns again, perhaps after a failed write, must not be used twice.
final class LockedOathStorage: OathTransactionalStorage {
  private let storage: any OathStorage
  private let mutex = AsyncMutex()
  private let progress = Locked<[String: OathCredential]>([:])

  init(_ storage: any OathStorage) { self.storage = storage }

  func storeOathCredential(_ credential: OathCredential) async throws {
    try await mutex.withLock {
      let id = credential.id
      var credential = credential
      if let known = progress.withLock({ $0[id] }) { credential.keepProgress(of: known) }
      try await store(credential)
    }
  }

  func addOathCredential(_ credential: OathCredential) async throws {
    try await mutex.withLock {
      let isTaken = try await storage.getAllOathCredentials().contains {
        $0.id == credential.id
          || ($0.issuer == credential.issuer && $0.accountName == credential.accountName)
      }
      guard !isTaken else { throw OathStorageError.duplicateCredential(credential.name) }
      try await store(credential)
    }
  }

  func updateOathCredential<Value: Sendable>(
    credentialId: String, _ change: @escaping @Sendable (inout OathCredential) throws -> Value
  ) async throws -> Value? {
    try await mutex.withLock {
      guard var credential = try await storage.retrieveOathCredential(credentialId: credentialId) else {
        return nil
      }
      if let known = progress.withLock({ $0[credentialId] }) { credential.keepProgress(of: known) }
      let value = try change(&credential)
      try await store(credential)
      return value
    }
  }

  private func store(_ credential: OathCredential) async throws {
    try await storage.storeOathCredential(credential)
    progress.withLock { $0[credential.id] = credential }
  }

  func retrieveOathCredential(credentialId: String) async throws -> OathCredential? {
    try await storage.retrieveOathCredential(credentialId: credentialId)
  }

  func getAllOathCredentials() async throws -> [OathCredential] { try await storage.getAllOathCredentials() }

  func removeOathCredential(credentialId: String) async throws -> Bool {
    try await mutex.withLock {
      progress.withLock { $0[credentialId] = nil }
      return try await storage.removeOathCredential(credentialId: credentialId)
    }
  }

  func clearOathCredentials() async throws {
    try await mutex.withLock {
      progress.withLock { $0 = [:] }
      try await storage.clearOathCredentials()
    }
  }
}
