/// Constants of pkcs11t.h.
package enum CryptokiConstant {
  package static let `class`: UInt = 0
  package static let token: UInt = 1
  package static let `private`: UInt = 2
  package static let label: UInt = 3
  package static let keyType: UInt = 0x100
  package static let id: UInt = 0x102
  package static let sensitive: UInt = 0x103
  package static let sign: UInt = 0x108
  package static let verify: UInt = 0x10A
  package static let valueLength: UInt = 0x161
  package static let extractable: UInt = 0x162
  package static let local: UInt = 0x163
  package static let neverExtractable: UInt = 0x164
  package static let alwaysSensitive: UInt = 0x165
  package static let ecParameters: UInt = 0x180
  package static let ecPoint: UInt = 0x181
  package static let alwaysAuthenticate: UInt = 0x202

  /// `CKO_PUBLIC_KEY`, `CKO_PRIVATE_KEY`, `CKK_EC`
  package static let publicKeyClass: UInt = 2
  package static let privateKeyClass: UInt = 3
  package static let ellipticCurve: UInt = 3

  /// `CKO_SECRET_KEY`, `CKK_GENERIC_SECRET`
  package static let secretKeyClass: UInt = 4
  package static let genericSecret: UInt = 0x10

  /// `CKM_SHA256_HMAC`, `CKM_GENERIC_SECRET_KEY_GEN`
  package static let hmac: UInt = 0x251
  package static let secretKeyGeneration: UInt = 0x350

  /// `CKM_EC_KEY_PAIR_GEN`, `CKM_ECDSA`
  package static let keyPairGeneration: UInt = 0x1040
  package static let ecdsa: UInt = 0x1041

  /// DER of the object identifier of P-256 (RFC 5480 §2.1.1.1).
  package static let p256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
}
