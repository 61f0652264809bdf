package import SwiftASN1

/// The extension certificatePolicies (RFC 5280 §4.2.1.4), read as far as a verifier must where it is critical: its form, and that every
/// qualifier is of a known kind.
///
/// The policies themselves decide nothing. This verifier accepts any of them, sets no initial policy and does not inhibit mapping
/// (§6.1.1 c to g: `any-policy`, all flags clear). Such a verifier finds a chain invalid for its policies only if a certificate in it
/// asks for an explicit policy (§6.1.3 f, §6.1.5 g), which only policyConstraints can do (§4.2.1.11). That extension, policyMappings
/// and inhibitAnyPolicy are not handled: where they are critical, as RFC 5280 demands of the first and the last, the chain is refused.
package struct CertificatePolicies: Sendable, Hashable, DERParseable {
  package static let identifier: ASN1ObjectIdentifier = [2, 5, 29, 32]

  /// Most policies in one certificate; TPM makers' have one to three.
  private static let maximumCount = 32

  /// id-qt-cps (a statement's address) and id-qt-unotice (a notice to show). Neither asks anything of a program that shows no notices.
  private static let qualifiers: Set<ASN1ObjectIdentifier> = [
    [1, 3, 6, 1, 5, 5, 7, 2, 1], [1, 3, 6, 1, 5, 5, 7, 2, 2],
  ]

  package let identifiers: Set<ASN1ObjectIdentifier>

  /// - Throws: unless it is a list of 1 to 32 different policies whose qualifiers are statements and notices.
  package init(derEncoded node: ASN1Node) throws {
    guard node.identifier == .sequence, case .constructed(let members) = node.content else {
      throw ASN1Error.unexpectedFieldType(node.identifier)
    }
    var identifiers: Set<ASN1ObjectIdentifier> = []
    for member in members {
      let identifier = try DER.sequence(member, identifier: .sequence) { fields in
        let identifier = try ASN1ObjectIdentifier(derEncoded: &fields)
        if let list = fields.next() { try Self.check(qualifiers: list) }
        return identifier
      }
      guard identifiers.insert(identifier).inserted, identifiers.count <= Self.maximumCount else {
        throw ASN1Error.invalidASN1Object(reason: "a policy is there twice, or there are too many")
      }
    }
    guard !identifiers.isEmpty else { throw ASN1Error.invalidASN1Object(reason: "there is no policy") }
    self.identifiers = identifiers
  }

  /// Checks the kinds of the qualifiers, not their content.
  private static func check(qualifiers list: ASN1Node) throws {
    guard list.identifier == .sequence, case .constructed(let members) = list.content else {
      throw ASN1Error.unexpectedFieldType(list.identifier)
    }
    for member in members {
      try DER.sequence(member, identifier: .sequence) { fields in
        let kind = try ASN1ObjectIdentifier(derEncoded: &fields)
        guard qualifiers.contains(kind), fields.next() != nil else {
          throw ASN1Error.invalidASN1Object(reason: "a policy has a qualifier of an unknown kind")
        }
      }
    }
  }
}
