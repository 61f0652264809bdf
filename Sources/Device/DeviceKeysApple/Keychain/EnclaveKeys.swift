#if canImport(Security) && canImport(LocalAuthentication)
  public import DeviceKeys
  internal import Foundation
  internal import LocalAuthentication
  public import Security

  extension AppleKeyStore {
    /// The access control of a new key with `protection`, on this device and now.
    ///
    /// - Throws: `DeviceKeyError` when this device cannot protect a key in that way.
    public static func accessControl(for protection: KeyProtection) throws -> SecAccessControl {
      try AccessRule(protection, on: .current).accessControl(isEnclaveKey: hasEnclave)
    }
  }

  /// Keys of the app's own access group, found by their tags alone.
  package enum EnclaveKeys {
    private static let items = KeychainItems(accessGroup: nil)

    /// Makes a key.
    ///
    /// - Throws: ``DeviceKeyError/exists(tag:)``, ``DeviceKeyError/unsupported(_:)``.
    package static func create(tag: String, access: SecAccessControl?, pin: PIN?) throws -> KeychainKey {
      try KeyTag.check(tag)
      guard AppleKeyStore.hasEnclave else { throw DeviceKeyError.unsupported(AppleKeyStore.noEnclave) }
      let context = pin.map { AppleKeyStore.context(for: .pin($0)) } ?? nil
      let access = try access ?? AppleKeyStore.accessControl(for: .none)
      do throws(AppleFailure) {
        guard try items.key(tag: tag, context: nil) == nil else { throw .duplicateItem }
      } catch {
        throw AppleKeyStore.creationError(error, tag: tag)
      }
      return try AppleKeyStore.made(tag: tag, in: items, inEnclave: true, access: access, context: context)
    }

    /// The attributes with which `SecKeyCreateRandomKey` makes a key, for programs that add to them.
    package static func attributes(tag: String, accessGroup: String?) -> [String: Any] {
      let attributes = KeychainItems(accessGroup: accessGroup).attributes(
        tag: tag, inEnclave: AppleKeyStore.hasEnclave, access: nil, context: nil)
      return Dictionary(uniqueKeysWithValues: attributes.map { ($0.key as String, $0.value) })
    }

    /// Makes a key with `attributes`.
    package static func create(attributes: [String: Any]) throws -> SecKey {
      try items.createKey(attributes as CFDictionary)
    }

    /// The key `tag`, `nil` when there is none.
    ///
    /// - Parameters:
    ///   - pin: Unlocks a key with a PIN of the app's.
    ///   - reason: Shown when the system asks the person.
    package static func find(
      tag: String, accessGroup: String? = nil, pin: PIN? = nil, reason: String? = nil
    ) throws -> KeychainKey? {
      let context = pin.map { AppleKeyStore.context(for: .pin($0)) } ?? reason.map { _ in LAContext() }
      if let reason { context?.localizedReason = reason }
      let items = KeychainItems(accessGroup: accessGroup)
      do {
        return try items.key(tag: tag, context: context).map {
          try KeychainKey(tag: tag, privateKey: $0, context: context)
        }
      } catch let failure as AppleFailure {
        throw failure.error(usingKey: tag)
      }
    }

    /// Removes the key `tag`. Succeeds when there is none.
    package static func delete(tag: String, accessGroup: String? = nil) throws {
      do throws(AppleFailure) {
        try KeychainItems(accessGroup: accessGroup).deleteKey(tag: tag)
      } catch {
        throw error.error(doing: "The key '\(tag)' could not be deleted")
      }
    }
  }
#endif
