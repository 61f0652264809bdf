public import Foundation

/// The earlier SDK's entries of one kind: one entry per bound key, or per account of its authenticator.
///
/// Entries are only read and deleted. The store also records which entries have been copied. An entry may stay, by the app's choice or
/// because it could not be deleted; the record prevents a second migration after the person has removed its key or account.
public protocol LegacyStore: Sendable {
  /// Identifies this store; migrations of one store never run at the same time.
  var name: String { get }

  /// The names of the entries, in a stable order; empty when there are none.
  ///
  /// - Throws: When the names cannot be read.
  func entries() async throws -> [String]

  /// The content of the entry `name`, or `nil` when it no longer exists.
  func read(_ name: String) async throws -> Data?

  /// Removes the entry `name` if its content still is `content`. Succeeds when the entry does not exist.
  func delete(_ name: String, content: Data) async throws

  /// The ids that ``noteMigrated(_:)`` has recorded.
  func migrated() async throws -> Set<String>

  /// Replaces the recorded ids with `ids`; durable on return. An empty set removes the record.
  func noteMigrated(_ ids: Set<String>) async throws
}

/// The services that the earlier SDK keeps its entries under.
public enum LegacyService {
  /// Descriptions of bound keys.
  public static let deviceBinding = "com.forgerock.ios.devicebinding.keychainservice"

  /// The authenticator's accounts: names, logo, policies.
  public static let authenticatorAccounts = "com.forgerock.ios.authenticator.keychainservice.local.account"

  /// The authenticator's mechanisms: the ways in which an account signs in, with their secrets.
  public static let authenticatorMechanisms =
    "com.forgerock.ios.authenticator.keychainservice.local.mechanism"

  /// The store of this platform: the Keychain on Apple platforms, a folder of the client's home elsewhere.
  package static func store(
    of service: String, accessGroup: String?, record: String = "migrated"
  ) -> any LegacyStore {
    #if canImport(Security)
      KeychainLegacyStore(service: service, accessGroup: accessGroup, record: record)
    #else
      FileLegacyStore(service: service, accessGroup: accessGroup, record: record)
    #endif
  }
}
