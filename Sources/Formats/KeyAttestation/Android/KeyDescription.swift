package import SwiftASN1
package import X509

/// The extension in which Android's key store describes an attested key ("Key and ID attestation", schema KeyDescription).
package struct KeyDescription: Sendable, Hashable {
  package static let identifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 11129, 2, 1, 17]

  /// Longest accepted challenge in bytes; Android's own bound is 128.
  static let maximumChallengeBytes = 128

  package let attestationVersion: Int
  package let attestationSecurityLevel: AndroidSecurityLevel

  /// The security level of the key itself, which may differ from the attestation's.
  package let keySecurityLevel: AndroidSecurityLevel
  package let attestationChallenge: [UInt8]

  /// What Android itself enforces, and what only a compromise of the system can change.
  package let softwareEnforced: AuthorizationList

  /// What the trusted environment or the secure element enforces.
  package let hardwareEnforced: AuthorizationList
}

extension KeyDescription {
  /// Reads the description in the leaf. One higher up would mean that an attested key, which its app controls, signed certificates.
  /// Then only the one nearest the root would be true, and it would not be about this key.
  package init(leaf: Certificate, issuers: some Sequence<Certificate>) throws(AttestationFailure) {
    guard !issuers.contains(where: { $0.extensions[oid: Self.identifier] != nil }) else {
      throw AttestationFailure(
        .keyDescriptionMisplaced, "a certificate above the leaf has a KeyDescription extension")
    }
    guard let value = leaf.extensions[oid: Self.identifier]?.value else {
      throw AttestationFailure(.keyDescriptionMissing, "the leaf certificate has no KeyDescription extension")
    }
    try self.init(der: value)
  }

  /// Reads the extension's value; DER without trailing bytes.
  ///
  /// - Throws: ``AttestationFailure/Check/keyDescriptionMalformed``.
  package init(der bytes: some Collection<UInt8>) throws(AttestationFailure) {
    do {
      let root = try DER.parse(Array(bytes))
      self = try DER.sequence(root, identifier: .sequence) { fields in
        let version = try Int(derEncoded: &fields)
        let attestationLevel = try AndroidSecurityLevel(enumerated: &fields)
        // Skips the version of the key store: the attestation's own version says which form the rest has.
        _ = try Int(derEncoded: &fields)
        let keyLevel = try AndroidSecurityLevel(enumerated: &fields)
        let challenge = try ASN1OctetString(derEncoded: &fields)
        // Skips the unique id, which would follow the device over all of its keys and is not needed here.
        _ = try ASN1OctetString(derEncoded: &fields)
        return KeyDescription(
          attestationVersion: version, attestationSecurityLevel: attestationLevel,
          keySecurityLevel: keyLevel, attestationChallenge: Array(challenge.bytes),
          softwareEnforced: try AuthorizationList(derEncoded: &fields),
          hardwareEnforced: try AuthorizationList(derEncoded: &fields))
      }
    } catch {
      throw AttestationFailure(
        .keyDescriptionMalformed, "the KeyDescription extension cannot be read: \(error)")
    }
    guard attestationVersion > 0, attestationChallenge.count <= Self.maximumChallengeBytes else {
      throw AttestationFailure(
        .keyDescriptionMalformed, "the KeyDescription has an impossible version or too long a challenge")
    }
  }

  /// The app that had the key made, from the list that Android enforces. Nothing has checked one in the hardware-enforced list.
  var application: AttestedApplication? { softwareEnforced.application }

  /// Whether every app may use the key.
  package var isForAllApplications: Bool {
    softwareEnforced.isForAllApplications || hardwareEnforced.isForAllApplications
  }
}

/// Where an Android key lives, weakest first (schema SecurityLevel).
public enum AndroidSecurityLevel: Int, Sendable, Hashable, CaseIterable, Comparable {
  /// In Android itself, where control of the system is enough to copy the key.
  case software = 0
  /// In the processor's trusted execution environment.
  case trustedEnvironment = 1
  /// In a secure element of its own.
  case strongBox = 2

  /// As written in records and configuration: `software`, `trustedEnvironment`, `strongBox`.
  public var name: String { "\(self)" }

  public init?(name: String) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

  init(enumerated fields: inout ASN1NodeCollection.Iterator) throws {
    guard let node = fields.next(),
      let level = AndroidSecurityLevel(rawValue: try Int(derEncoded: node, withIdentifier: .enumerated))
    else { throw ASN1Error.invalidASN1Object(reason: "unknown security level") }
    self = level
  }
}
