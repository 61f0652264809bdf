public import Foundation

/// Where the earlier SDK keeps what it knows of bound keys: one entry per key, each a JSON object of its own.
///
/// Entries are only read and deleted. Beside them the store keeps a record of its own: which keys have been copied from it.
/// So a migration whose entries stay, because the app wants that or because they could not be deleted, is not done again
/// after the person has removed such a key.
public protocol LegacyStore: Sendable {
  /// Tells this store from others; migrations of one store never run at the same time.
  var name: String { get }

  /// The names of the entries, in an order that does not change; empty when there are none.
  ///
  /// - Throws: When that cannot be found out, which is not the same as none.
  func entries() async throws -> [String]

  /// What is in the entry `name`, or `nil` when it is not there any more.
  func read(_ name: String) async throws -> Data?

  /// Removes the entry `name` if it still is `content`. Succeeds when there is none.
  func delete(_ name: String, content: Data) async throws

  /// The key ids that ``noteMigrated(_:)`` has noted.
  func migrated() async throws -> Set<String>

  /// Makes `kids` the noted key ids, in place of the earlier ones; durable on return. An empty set leaves no trace.
  func noteMigrated(_ kids: Set<String>) async throws
}

/// The service that the earlier SDK keeps its entries under.
enum LegacyService {
  static let name = "com.forgerock.ios.devicebinding.keychainservice"

  /// The store of this platform: the Keychain on Apple platforms, a folder of the client's home elsewhere.
  static func store(accessGroup: String?) -> any LegacyStore {
    #if canImport(Security)
      KeychainLegacyStore(accessGroup: accessGroup)
    #else
      FileLegacyStore(accessGroup: accessGroup)
    #endif
  }
}
