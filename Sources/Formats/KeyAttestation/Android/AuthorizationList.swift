package import SwiftASN1

/// What a key may be used for and where it comes from, as far as it is needed here (schema AuthorizationList). Other
/// members are skipped, because every version of Android adds some.
package struct AuthorizationList: Sendable, Hashable, DERParseable {
  /// KeyMint's numbers of the values that matter (KeyPurpose, Algorithm, KeyOrigin).
  package enum Value {
    package static let sign = 2
    package static let verify = 3
    static let rsa = 1
    static let ec = 3
    package static let generated = 0
  }

  package private(set) var purposes: Set<Int>?
  private(set) var algorithm: Int?
  package private(set) var origin: Int?
  package private(set) var isForAllApplications = false

  /// Whether the key may be used without recognising anybody (`noAuthRequired`).
  private(set) var needsNobody = false

  /// The ways of recognising a person, as bits, each of which unlocks the key (`HardwareAuthenticatorType`); `nil` when the list does
  /// not say.
  private(set) var userAuthentication: Int?

  /// The app that had the key made, as Android itself states.
  private(set) var application: AttestedApplication?
  private(set) var rootOfTrust: RootOfTrust?

  package init(derEncoded node: ASN1Node) throws {
    guard node.identifier == .sequence, case .constructed(let members) = node.content else {
      throw ASN1Error.unexpectedFieldType(node.identifier)
    }
    var seen: Set<UInt> = []
    for member in members {
      let tag = member.identifier
      guard tag.tagClass == .contextSpecific, seen.insert(tag.tagNumber).inserted else {
        throw ASN1Error.invalidASN1Object(reason: "an authorization is untagged or there twice")
      }
      try read(member, tag.tagNumber)
    }
  }

  private mutating func read(_ member: ASN1Node, _ number: UInt) throws {
    try DER.explicitlyTagged(member, tagNumber: number, tagClass: .contextSpecific) { value in
      switch number {
      case 1: purposes = try Self.integers(value)
      case 2: algorithm = try Int(derEncoded: value)
      case 503:
        _ = try ASN1Null(derEncoded: value)
        needsNobody = true
      case 504: userAuthentication = try Int(derEncoded: value)
      case 709:
        let bytes = try ASN1OctetString(derEncoded: value).bytes
        application = try AttestedApplication(derEncoded: try DER.parse(Array(bytes)))
      case 600:
        _ = try ASN1Null(derEncoded: value)
        isForAllApplications = true
      case 702: origin = try Int(derEncoded: value)
      case 704: rootOfTrust = try RootOfTrust(derEncoded: value)
      default: break
      }
    }
  }

  /// The numbers in a set. DER's own reader is not used, because devices do not sort these sets.
  private static func integers(_ node: ASN1Node) throws -> Set<Int> {
    guard node.identifier == .set, case .constructed(let members) = node.content else {
      throw ASN1Error.unexpectedFieldType(node.identifier)
    }
    return Set(try members.map { try Int(derEncoded: $0) })
  }
}

/// How the device booted (schema RootOfTrust).
struct RootOfTrust: Sendable, Hashable, DERParseable {
  /// Whether the boot loader refuses systems that the maker did not sign.
  let isDeviceLocked: Bool

  /// Whether the system was verified with the maker's key. `false` for the owner's own key, no verification, or a failed one.
  let isBootVerified: Bool

  init(derEncoded node: ASN1Node) throws {
    (isDeviceLocked, isBootVerified) = try DER.sequence(node, identifier: .sequence) { fields in
      _ = try ASN1OctetString(derEncoded: &fields)
      let isLocked = try Bool(derEncoded: &fields)
      guard let state = fields.next() else { throw ASN1Error.invalidASN1Object(reason: "no boot state") }
      let isVerified = try Int(derEncoded: state, withIdentifier: .enumerated) == 0
      // The boot hash, since version 3.
      if let hash = fields.next() { _ = try ASN1OctetString(derEncoded: hash) }
      return (isLocked, isVerified)
    }
  }
}
