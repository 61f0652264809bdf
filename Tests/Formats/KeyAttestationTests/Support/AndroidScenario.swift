import Crypto
import Foundation
import KeyAttestation
import StrictJSON
import SwiftASN1
import X509

typealias AttestationFailureCheck = AttestationFailure.Check

let keyDescriptionIdentifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 11129, 2, 1, 17]

/// An Android device's answer and the server that judges it. As made, all is well; a test changes one thing.
struct AndroidScenario: Sendable {
  let key = P256.Signing.PrivateKey()
  var challenge = Array(repeating: UInt8(7), count: 32)
  var description = KeyDescriptionFixture()

  var root = Authority.Profile()
  var intermediate = Authority.Profile()
  var leaf = Authority.Profile.leaf

  /// The key in the leaf, when it is not ``key``.
  var certifiedKey: P256.Signing.PublicKey?

  /// Replaces the extension's value.
  var changesExtension: @Sendable ([UInt8]) -> [UInt8] = { $0 }
  var hasExtension = true

  /// Replaces the chain: leaf, intermediate, root.
  var changesChain: @Sendable ([[UInt8]]) throws -> [[UInt8]] = { $0 }

  /// The configured root, when it is not the chain's.
  var trusted: TrustAnchors?
  var policy = AndroidPolicy()
  var revoked = RevokedSerialNumbers()
  var time = testTime

  /// Whether the key must be of no use before somebody was recognised.
  var requiresPerson = false

  func verify() async throws -> VerifiedAttestation {
    let top = try Authority.root("Android Root", profile: root)
    let middle = try top.intermediate("TEE", profile: intermediate)
    var profile = leaf
    if hasExtension {
      profile.extensions.append(
        Certificate.Extension(
          oid: keyDescriptionIdentifier, critical: false,
          value: changesExtension(try description.der)[...]))
    }
    let end = try middle.issue(
      Certificate.PublicKey(certifiedKey ?? key.publicKey), subject: "Android Keystore Key", profile: profile)
    let anchors = try trusted ?? TrustAnchors([top.der])
    let time = time
    let verifier = AttestationVerifier(
      AttestationVerifier.Configuration(androidRoots: anchors, android: policy, revoked: revoked),
      clock: { time })
    return try await verifier.verify(
      jwk: key.publicKey.jwk(chain: changesChain([end.derBytes, middle.der, top.der])), challenge: challenge,
      requiresLockout: false, requiresPerson: requiresPerson)
  }
}

/// A KeyDescription, written with DER's serializer.
struct KeyDescriptionFixture: Sendable {
  var version = 200
  var attestationLevel = 1
  var keyLevel = 1
  var challenge = Array(repeating: UInt8(7), count: 32)
  var software = Authorizations()
  var hardware = Authorizations(
    purposes: [2], algorithm: 3, origin: 0, boot: Authorizations.Boot(isLocked: true, state: 0))

  struct Authorizations: Sendable {
    struct Boot: Sendable {
      var isLocked: Bool
      var state: Int
    }

    var purposes: [Int]?
    var algorithm: Int?
    var origin: Int?
    var isForAllApplications = false
    var boot: Boot?
    /// Encoded members before the others.
    var extra: [UInt8] = []
  }

  var der: [UInt8] {
    get throws {
      var coder = DER.Serializer()
      try coder.appendConstructedNode(identifier: .sequence) { coder in
        try coder.serialize(version)
        try attestationLevel.serialize(into: &coder, withIdentifier: .enumerated)
        try coder.serialize(300)
        try keyLevel.serialize(into: &coder, withIdentifier: .enumerated)
        try coder.serialize(ASN1OctetString(contentBytes: challenge[...]))
        try coder.serialize(ASN1OctetString(contentBytes: []))
        try Self.write(software, &coder)
        try Self.write(hardware, &coder)
      }
      return coder.serializedBytes
    }
  }

  private static func write(_ list: Authorizations, _ coder: inout DER.Serializer) throws {
    try coder.appendConstructedNode(identifier: .sequence) { coder in
      coder.serializeRawBytes(list.extra)
      if let purposes = list.purposes {
        try tagged(1, &coder) { coder in
          try coder.appendConstructedNode(identifier: .set) { coder in
            for purpose in purposes { try coder.serialize(purpose) }
          }
        }
      }
      if let algorithm = list.algorithm { try tagged(2, &coder) { try $0.serialize(algorithm) } }
      // keySize, which nobody reads.
      try tagged(3, &coder) { try $0.serialize(256) }
      if list.isForAllApplications { try tagged(600, &coder) { try $0.serialize(ASN1Null()) } }
      if let origin = list.origin { try tagged(702, &coder) { try $0.serialize(origin) } }
      if let boot = list.boot {
        try tagged(704, &coder) { coder in
          try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(ASN1OctetString(contentBytes: [1, 2, 3]))
            try coder.serialize(boot.isLocked)
            try boot.state.serialize(into: &coder, withIdentifier: .enumerated)
            try coder.serialize(ASN1OctetString(contentBytes: [4, 5, 6]))
          }
        }
      }
    }
  }

  private static func tagged(
    _ number: UInt, _ coder: inout DER.Serializer, _ body: (inout DER.Serializer) throws -> Void
  ) throws {
    try coder.appendConstructedNode(
      identifier: ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific), body)
  }
}
