internal import Foundation
internal import SwiftASN1
internal import X509

/// Finds out why a chain was refused, for the operator. It decides nothing, because the chain has been refused already.
struct ChainDiagnosis {
  /// As sent, leaf first.
  let certificates: [Certificate]
  let roots: TrustAnchors
  let time: Date

  /// All critical extensions that the verifier handles.
  let handled: [ASN1ObjectIdentifier]

  /// The verifier's reason for refusing a path with valid signatures, if it got so far.
  let reason: String?

  /// The first fault in the order in which the verifier looks: extensions and signatures up to a root, then the path's rules.
  var fault: ChainFault {
    if let fault = extensionFault(of: certificates[0], at: 0) { return fault }
    guard !roots.certificates.contains(certificates[0]) else { return .leafIsRoot }
    var path = [certificates[0]]
    for (place, certificate) in certificates.enumerated() {
      if let root = root(above: certificate) {
        path.append(root)
        return extensionFault(of: root, at: place + 1) ?? ruleFault(in: path)
      }
      guard place + 1 < certificates.count else { return unknownIssuer(of: certificate, at: place) }
      let issuer = certificates[place + 1]
      if let fault = extensionFault(of: issuer, at: place + 1) { return fault }
      guard issuer.publicKey.isValidSignature(certificate.signature, for: certificate) else {
        return ChainFault(.invalidSignature, at: place, "was not signed by the next certificate's key")
      }
      path.append(issuer)
    }
    return ChainFault(.constraint, at: nil, reason ?? "was refused")
  }

  private func root(above certificate: Certificate) -> Certificate? {
    roots.certificates.first {
      $0.subject == certificate.issuer
        && $0.publicKey.isValidSignature(certificate.signature, for: certificate)
    }
  }

  private func unknownIssuer(of certificate: Certificate, at place: Int) -> ChainFault {
    let isNamed = roots.certificates.contains { $0.subject == certificate.issuer }
    return ChainFault(
      .unknownIssuer, at: place,
      isNamed
        ? "names a configured root as issuer, and that root's key did not sign it"
        : "was issued by \"\(certificate.issuer)\", which is not among the configured roots")
  }

  private func extensionFault(of certificate: Certificate, at place: Int) -> ChainFault? {
    guard let unknown = certificate.extensions.first(where: { $0.critical && !handled.contains($0.oid) })
    else { return nil }
    return ChainFault(
      .criticalExtension, at: place, "has the critical extension \(unknown.oid), which is not dealt with")
  }

  private func ruleFault(in path: [Certificate]) -> ChainFault {
    for (place, certificate) in path.enumerated() {
      if time > certificate.notValidAfter {
        return ChainFault(.expired, at: place, "was valid until \(certificate.notValidAfter.rfc3339)")
      }
      if time < certificate.notValidBefore {
        return ChainFault(.notYetValid, at: place, "is valid from \(certificate.notValidBefore.rfc3339)")
      }
    }
    return PathRules.fault(in: path) ?? authorityFault(in: path)
      ?? ChainFault(.constraint, at: nil, reason ?? "breaks a rule of RFC 5280")
  }

  /// Basic constraints, as `RFC5280Policy` reads them: a root of version 1 has none.
  private func authorityFault(in path: [Certificate]) -> ChainFault? {
    var below = 0
    for (place, issuer) in path.enumerated().dropFirst() {
      if issuer.version != .v1 {
        guard case .isCertificateAuthority(let longest)? = try? issuer.extensions.basicConstraints else {
          return ChainFault(
            .notAnAuthority, at: place, "issues certificates but is not an authority's (basic constraints)")
        }
        if let longest, longest < below {
          return ChainFault(
            .pathTooLong, at: place, "allows \(longest) authorities below it, and there are \(below)")
        }
      }
      if issuer.issuer != issuer.subject { below += 1 }
    }
    return nil
  }
}

extension Date {
  fileprivate var rfc3339: String { formatted(.iso8601) }
}
