internal import SwiftASN1

/// The app, or the apps that share a user id, for which Android made a key (schema AttestationApplicationId).
struct AttestedApplication: Sendable, Hashable, DERParseable {
  let packages: Set<String>

  /// SHA-256 of the certificates that the apps are signed with.
  let signers: Set<[UInt8]>

  /// The most packages and signers that are read; few apps share a user id.
  private static let mostMembers = 100

  init(derEncoded node: ASN1Node) throws {
    (packages, signers) = try DER.sequence(node, identifier: .sequence) { fields in
      let packages = try Self.members(fields.next()).map { package in
        try DER.sequence(package, identifier: .sequence) { fields in
          let name = try ASN1OctetString(derEncoded: &fields)
          // The version, which an update changes.
          _ = fields.next()
          return String(decoding: name.bytes, as: UTF8.self)
        }
      }
      let signers = try Self.members(fields.next()).map { Array(try ASN1OctetString(derEncoded: $0).bytes) }
      return (Set(packages), Set(signers))
    }
  }

  /// The members of a set. DER's own reader is not used, because devices do not sort these sets.
  private static func members(_ node: ASN1Node?) throws -> [ASN1Node] {
    guard let node, node.identifier == .set, case .constructed(let members) = node.content else {
      throw ASN1Error.invalidASN1Object(reason: "an application is not a set")
    }
    let list = Array(members)
    guard list.count <= mostMembers else {
      throw ASN1Error.invalidASN1Object(reason: "an application has too many members")
    }
    return list
  }
}
