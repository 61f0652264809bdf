#if canImport(Security)
  internal import CryptoKit
  public import Foundation
  public import Security

  /// A P-256 key of the Secure Enclave, usable after the first unlock, that encrypts with ECIES.
  // SecKey is immutable and documented as safe to use from any thread.
  public struct SecuredKey: @unchecked Sendable {
    private let privateKey: SecKey
    private let publicKey: SecKey

    /// Whether this device has a Secure Enclave.
    public static func isAvailable() -> Bool { SecureEnclave.isAvailable }

    /// The key `applicationTag`, created on first use; `nil` without a Secure Enclave.
    public init?(applicationTag: String) {
      guard Self.isAvailable(),
        let privateKey = Self.find(applicationTag) ?? Self.create(applicationTag),
        let publicKey = SecKeyCopyPublicKey(privateKey)
      else { return nil }
      self.privateKey = privateKey
      self.publicKey = publicKey
    }

    /// The encrypted form of `data`; `nil` when encryption fails.
    public func encrypt(
      data: Data, secAlgorithm: SecKeyAlgorithm = .eciesEncryptionCofactorVariableIVX963SHA256AESGCM
    ) -> Data? {
      SecKeyCreateEncryptedData(publicKey, secAlgorithm, data as CFData, nil) as Data?
    }

    /// Returns the data that ``encrypt(data:secAlgorithm:)`` encrypted; `nil` when `data` were changed or encrypted with another
    /// key. Also decrypts earlier data, which were encrypted with the algorithm without a variable IV.
    public func decrypt(
      data: Data, secAlgorithm: SecKeyAlgorithm = .eciesEncryptionCofactorVariableIVX963SHA256AESGCM
    ) -> Data? {
      let decrypted = SecKeyCreateDecryptedData(privateKey, secAlgorithm, data as CFData, nil)
      let earlier = SecKeyAlgorithm.eciesEncryptionCofactorX963SHA256AESGCM
      return (decrypted ?? SecKeyCreateDecryptedData(privateKey, earlier, data as CFData, nil)) as Data?
    }

    private static func find(_ tag: String) -> SecKey? {
      let query: [CFString: Any] = [
        kSecClass: kSecClassKey,
        kSecAttrApplicationTag: Data(tag.utf8),
        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
        kSecReturnRef: true,
      ]
      var found: CFTypeRef?
      guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess, let found,
        CFGetTypeID(found) == SecKeyGetTypeID()
      else { return nil }
      return unsafeDowncast(found, to: SecKey.self)
    }

    private static func create(_ tag: String) -> SecKey? {
      guard
        let access = SecAccessControlCreateWithFlags(
          nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, nil)
      else { return nil }
      let attributes: [CFString: Any] = [
        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
        kSecAttrKeySizeInBits: 256,
        kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
        kSecPrivateKeyAttrs: [
          kSecAttrIsPermanent: true,
          kSecAttrApplicationTag: Data(tag.utf8),
          kSecAttrAccessControl: access,
        ] as [CFString: Any],
      ]
      return SecKeyCreateRandomKey(attributes as CFDictionary, nil)
    }
  }
#endif
