#if canImport(Security)
  public import Foundation
  internal import PingStorage
  internal import Security

  /// Legacy entries in the Keychain: generic passwords of one service; the Keychain's account is the entry's name.
  ///
  /// The private keys of bound keys are separate Keychain items, tagged with the entry's name, and stay where they are.
  public struct KeychainLegacyStore: LegacyStore {
    private let service: String
    private let accessGroup: String?
    private let record: Keychain<Set<String>>

    /// The entries of `accessGroup`; `nil` means every group that the app may read.
    ///
    /// - Parameter record: Names the item with the migrated ids; each reader of the same entries has its own.
    public init(
      service: String = LegacyService.deviceBinding, accessGroup: String? = nil, record: String = "migrated"
    ) {
      self.service = service
      self.accessGroup = accessGroup
      self.record = Keychain(account: "\(service).\(record)", accessGroup: accessGroup)
    }

    public var name: String { "keychain/\(service)/\(accessGroup ?? "")" }

    public func entries() throws -> [String] {
      let items: [[String: Any]]? = try find([kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true])
      return (items ?? []).compactMap { $0[kSecAttrAccount as String] as? String }.sorted()
    }

    public func read(_ name: String) throws -> Data? {
      try find([kSecMatchLimit: kSecMatchLimitOne, kSecReturnData: true], account: name)
    }

    private func find<Found>(_ options: [CFString: Any], account: String? = nil) throws -> Found? {
      var found: CFTypeRef?
      let query = query(account).merging(options) { _, option in option }
      let status = SecItemCopyMatching(query as CFDictionary, &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let found = found as? Found else { throw KeychainError.unableToRetrieve }
      return found
    }

    public func delete(_ name: String, content: Data) throws {
      guard try read(name) == content else { return }
      let status = SecItemDelete(query(name) as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else {
        throw KeychainError.unableToDelete
      }
    }

    public func migrated() async throws -> Set<String> { try await record.get() ?? [] }

    public func noteMigrated(_ ids: Set<String>) async throws {
      if ids.isEmpty { try await record.delete() } else { try await record.save(item: ids) }
    }

    private func query(_ account: String? = nil) -> [CFString: Any] {
      var query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: service,
      ]
      query[kSecAttrAccount] = account
      query[kSecAttrAccessGroup] = accessGroup
      return query
    }
  }
#endif
