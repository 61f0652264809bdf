#if canImport(Security)
  internal import DeviceKeys
  internal import Foundation
  internal import LocalAuthentication
  internal import Security

  /// The keys of an app in the data protection keychain, and the records beside them.
  struct KeychainItems: Sendable {
    /// `kSecAttrService` of the records.
    static let service = "com.sealring.device-keys"

    /// The group of apps that share the keys; `nil` is the app's own.
    let accessGroup: String?

    // MARK: Keys

    /// Makes a key and keeps it under `tag`.
    func createKey(
      tag: String, inEnclave: Bool, access: SecAccessControl?, context: LAContext?
    ) throws -> SecKey {
      try createKey(
        attributes(tag: tag, inEnclave: inEnclave, access: access, context: context) as CFDictionary)
    }

    /// The attributes with which `SecKeyCreateRandomKey` makes a key.
    func attributes(
      tag: String, inEnclave: Bool, access: SecAccessControl?, context: LAContext?
    ) -> [CFString: Any] {
      var keeping: [CFString: Any] = [
        kSecAttrIsPermanent: true,
        kSecAttrApplicationTag: Data(tag.utf8),
      ]
      keeping[kSecAttrAccessControl] = access
      keeping[kSecUseAuthenticationContext] = context
      keeping[kSecAttrAccessGroup] = accessGroup
      var attributes: [CFString: Any] = [
        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
        kSecAttrKeySizeInBits: 256,
        kSecUseDataProtectionKeychain: true,
        kSecPrivateKeyAttrs: keeping,
      ]
      // Apple's documentation leaves open at which level the context belongs; it does no harm at both.
      attributes[kSecUseAuthenticationContext] = context
      if inEnclave { attributes[kSecAttrTokenID] = kSecAttrTokenIDSecureEnclave }
      return attributes
    }

    func createKey(_ attributes: CFDictionary) throws -> SecKey {
      var failure: Unmanaged<CFError>?
      guard let key = SecKeyCreateRandomKey(attributes, &failure) else {
        throw AppleFailure(failure)
      }
      return key
    }

    /// The private key `tag`, `nil` when the keychain says that there is none.
    ///
    /// Finding a key asks the person for nothing and proves nothing: only a signature shows whether `context` unlocks the key.
    func key(tag: String, context: LAContext?) throws(AppleFailure) -> SecKey? {
      for var query in keyQueries(tag) {
        query[kSecReturnRef] = true
        query[kSecMatchLimit] = kSecMatchLimitOne
        query[kSecUseAuthenticationContext] = context
        guard let found = try copy(query) else { continue }
        guard CFGetTypeID(found) == SecKeyGetTypeID() else { throw AppleFailure(status: errSecSuccess) }
        return unsafeDowncast(found, to: SecKey.self)
      }
      return nil
    }

    /// Removes the key `tag`. Succeeds when there is none.
    func deleteKey(tag: String) throws(AppleFailure) {
      for query in keyQueries(tag) { try delete(query) }
    }

    /// Removes this key and no other.
    func deleteKey(_ key: SecKey) throws(AppleFailure) {
      try delete([kSecClass: kSecClassKey, kSecValueRef: key, kSecUseDataProtectionKeychain: true])
    }

    // MARK: Records

    /// Keeps a record unless there is one of this tag already: one conditional write.
    func addRecord(_ value: Data, tag: String) throws(AppleFailure) {
      var item = recordQuery(tag)
      item[kSecValueData] = value
      item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
      let status = SecItemAdd(item as CFDictionary, nil)
      guard status == errSecSuccess else { throw AppleFailure(status: status) }
    }

    /// The record of `tag`, `nil` when the keychain says that there is none.
    func record(tag: String) throws(AppleFailure) -> Data? {
      var query = recordQuery(tag)
      query[kSecReturnData] = true
      query[kSecMatchLimit] = kSecMatchLimitOne
      guard let found = try copy(query) else { return nil }
      guard let value = found as? Data else { throw AppleFailure(status: errSecSuccess) }
      return value
    }

    /// The tags of all records.
    func tags() throws(AppleFailure) -> [String] {
      var query = recordQuery(nil)
      query[kSecReturnAttributes] = true
      query[kSecMatchLimit] = kSecMatchLimitAll
      guard let found = try copy(query) else { return [] }
      guard let items = found as? [[String: Any]] else { throw AppleFailure(status: errSecSuccess) }
      let account = kSecAttrAccount as String
      return items.compactMap { $0[account] as? String }
    }

    func deleteRecord(tag: String) throws(AppleFailure) { try delete(recordQuery(tag)) }

    // MARK: Queries

    /// The queries for the key `tag`. Earlier SDKs wrote tags as text, and whether the keychain treats that as the same bytes is not
    /// documented.
    private func keyQueries(_ tag: String) -> [[CFString: Any]] {
      let forms: [Any] = [Data(tag.utf8), tag]
      return forms.map { form in
        var query: [CFString: Any] = [
          kSecClass: kSecClassKey,
          kSecAttrKeyClass: kSecAttrKeyClassPrivate,
          kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
          kSecAttrApplicationTag: form,
          kSecUseDataProtectionKeychain: true,
        ]
        query[kSecAttrAccessGroup] = accessGroup
        return query
      }
    }

    private func recordQuery(_ tag: String?) -> [CFString: Any] {
      var query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword,
        kSecAttrService: Self.service,
        kSecUseDataProtectionKeychain: true,
      ]
      query[kSecAttrAccount] = tag
      query[kSecAttrAccessGroup] = accessGroup
      return query
    }

    /// The item that the keychain finds; `nil` when it says that there is none.
    private func copy(_ query: [CFString: Any]) throws(AppleFailure) -> CFTypeRef? {
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let found else { throw AppleFailure(status: status) }
      return found
    }

    private func delete(_ query: [CFString: Any]) throws(AppleFailure) {
      let status = SecItemDelete(query as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else {
        throw AppleFailure(status: status)
      }
    }
  }
#endif
