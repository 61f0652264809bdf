public import Foundation

/// The store of the earlier SDK's descriptions of bound keys: one entry per key, each a JSON object.
///
/// Entries are only read and deleted. The store also records which keys have been copied from it, so that a key whose entry
/// stays, by the app's choice or because it could not be deleted, is not migrated again after the person has removed it.
public protocol LegacyStore: Sendable {
  /// Identifies this store; migrations of one store never run at the same time.
  var name: String { get }

  /// The names of the entries, in a stable order; empty when there are none.
  ///
  /// - Throws: When the names cannot be read, which is not the same as none.
  func entries() async throws -> [String]

  /// The content of the entry `name`, or `nil` when it no longer exists.
  func read(_ name: String) async throws -> Data?

  /// Removes the entry `name` if its content still is `content`. Succeeds when the entry does not exist.
  func delete(_ name: String, content: Data) async throws

  /// The key ids that ``noteMigrated(_:)`` has recorded.
  func migrated() async throws -> Set<String>

  /// Replaces the recorded key ids with `kids`; durable on return. An empty set removes the record.
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
