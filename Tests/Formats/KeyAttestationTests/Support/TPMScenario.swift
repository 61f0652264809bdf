import Crypto
import Foundation
import JOSE
import KeyAttestation
import StrictJSON
import SwiftASN1
import X509

/// A TPM's answer and the server that judges it. As made, all is well; a test changes one thing.
struct TPMScenario: Sendable {
  let key = P256.Signing.PrivateKey()
  let attestationKey = P256.Signing.PrivateKey()
  var challenge = Array(repeating: UInt8(9), count: 32)
  var requiresLockout = true

  var leaf = Self.attestationKeyProfile
  var intermediate = Authority.Profile()
  var root = Authority.Profile()

  /// The leaf's; `nil` for none.
  var subject: String?

  /// The key in the leaf, when it is not ``attestationKey``.
  var certifiedKey: P256.Signing.PublicKey?

  /// fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, sign.
  var attributes: UInt32 = 0x0004_0072
  var publicKey: P256.Signing.PublicKey?
  var info = CertifyInfoFixture()

  /// Changes of the encoded structures; those of `certifyInfo` are signed.
  var changesPublicArea: @Sendable ([UInt8]) -> [UInt8] = { $0 }
  var changesCertifyInfo: @Sendable ([UInt8]) -> [UInt8] = { $0 }
  var changesSignature: @Sendable ([UInt8]) -> [UInt8] = { $0 }
  var changesMember: @Sendable (JSONObject) -> JSONValue = { .object($0) }
  var trusted: TrustAnchors?
  var androidRoots = TrustAnchors()
  var revoked = RevokedSerialNumbers()

  static let attestationKeyUsage: ASN1ObjectIdentifier = [2, 23, 133, 8, 3]

  /// As TPM makers' certificates are: without subject, the name in a critical alternative name.
  static var attestationKeyProfile: Authority.Profile {
    var profile = Authority.Profile.leaf
    profile.extensions = [
      Certificate.Extension(oid: [2, 5, 29, 17], critical: true, value: [0x30, 0x03, 0x82, 0x01, 0x61]),
      // SEQUENCE { OID 2.23.133.8.3 }
      Certificate.Extension(
        oid: [2, 5, 29, 37], critical: true, value: [0x30, 0x07, 0x06, 0x05, 0x67, 0x81, 0x05, 0x08, 0x03]),
    ]
    return profile
  }

  /// An extended key usage of an issuer.
  static func usage(
    _ usages: ExtendedKeyUsage.Usage..., isCritical: Bool = true
  ) throws -> Certificate.Extension {
    try Certificate.Extension(ExtendedKeyUsage(usages), critical: isCritical)
  }

  func statement() throws -> TPMStatement {
    let area = TPMStructures.publicArea(of: publicKey ?? key.publicKey, attributes: attributes)
    var info = info
    if info.name == nil { info.name = TPMStructures.name(of: changesPublicArea(area)) }
    let encoded = changesCertifyInfo(info.encoded)
    let raw = try Array(attestationKey.signature(for: encoded).rawRepresentation)
    return TPMStatement(
      certifyInfo: encoded, signature: changesSignature(TPMStructures.signature(raw)),
      publicArea: changesPublicArea(area))
  }

  func verify() async throws -> VerifiedAttestation {
    let top = try Authority.root("TPM Root", profile: root)
    let middle = try top.intermediate("TPM Issuing CA", profile: intermediate)
    let end = try middle.issue(
      Certificate.PublicKey(certifiedKey ?? attestationKey.publicKey), subject: subject, profile: leaf)
    let verifier = AttestationVerifier(
      AttestationVerifier.Configuration(
        androidRoots: androidRoots, tpmRoots: try trusted ?? TrustAnchors([top.der]), revoked: revoked),
      clock: { testTime })
    return try await verifier.verify(
      jwk: key.publicKey.jwk(
        chain: [end.derBytes, middle.der], extra: ["tpm": changesMember(try statement().json)]),
      challenge: challenge, requiresLockout: requiresLockout)
  }
}

/// TPMS_ATTEST of TPM2_Certify.
struct CertifyInfoFixture: Sendable {
  var magic: UInt32 = 0xFF54_4347
  var type: UInt16 = 0x8017
  var extraData = Array(repeating: UInt8(9), count: 32)
  var name: [UInt8]?

  var encoded: [UInt8] {
    let signer: [UInt8] = [0, 0x0B] + Array(repeating: 3, count: 32)
    return TPMStructures.bytes(magic) + TPMStructures.bytes(type) + TPMStructures.sized(signer)
      + TPMStructures.sized(extraData) + TPMStructures.bytes(UInt64(1000)) + TPMStructures.bytes(UInt32(2))
      + TPMStructures.bytes(UInt32(0)) + [1] + TPMStructures.bytes(UInt64(0x2019_1023_0016_3636))
      + TPMStructures.sized(name ?? []) + TPMStructures.sized(signer)
  }
}

/// Structures in the TPM's encoding.
enum TPMStructures {
  static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian, Array.init)
  }

  static func sized(_ content: [UInt8]) -> [UInt8] { bytes(UInt16(content.count)) + content }

  /// TPMT_PUBLIC of a P-256 key that signs by whatever scheme it is told.
  static func publicArea(of key: P256.Signing.PublicKey, attributes: UInt32) -> [UInt8] {
    let point = Array(key.rawRepresentation)
    return [0, 0x23, 0, 0x0B] + bytes(attributes) + sized([]) + [0, 0x10, 0, 0x10, 0, 0x03, 0, 0x10]
      + sized(Array(point[..<32])) + sized(Array(point[32...]))
  }

  static func name(of publicArea: [UInt8]) -> [UInt8] { [0, 0x0B] + Array(SHA256.hash(data: publicArea)) }

  /// TPMT_SIGNATURE, ECDSA with SHA-256.
  static func signature(_ raw: [UInt8]) -> [UInt8] {
    [0, 0x18, 0, 0x0B] + sized(Array(raw[..<32])) + sized(Array(raw[32...]))
  }
}

extension Array {
  func replacing(_ element: Element, at index: Int) -> [Element] {
    var copy = self
    copy[index] = element
    return copy
  }
}
