internal import SwiftASN1
internal import X509

/// Rules for every path from a leaf to a root beyond swift-certificates' `RFC5280Policy`.
///
/// - Issuers below the root have version 3, because only there a certificate says whether it is a CA's.
/// - Issuers may sign certificates where they list key usages (RFC 5280 §4.2.1.3).
/// - An issuer whose extended key usage is critical certifies only for usages in it (§4.2.1.12). Callers check the leaf's usage.
/// - No certificate below the root is signed with SHA-1. The root is trusted by itself, so its own signature counts for nothing.
/// - Certificate policies can be read where they are critical: ``CertificatePolicies`` says why that is enough.
struct PathRules: VerifierPolicy {
  let verifyingCriticalExtensions: [ASN1ObjectIdentifier]

  /// - Parameter handled: critical extensions that the caller of the verifier deals with.
  init(handling handled: [ASN1ObjectIdentifier]) {
    verifyingCriticalExtensions = [CertificatePolicies.identifier] + handled
  }

  func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
    Self.fault(in: Array(chain)).map { .failsToMeetPolicy(reason: "\($0)") } ?? .meetsPolicy
  }

  /// The first rule that `path`, leaf first and root last, does not keep.
  static func fault(in path: [Certificate]) -> ChainFault? {
    for (place, certificate) in path.enumerated() {
      let isRoot = place == path.count - 1
      if !isRoot, certificate.signatureAlgorithm == .sha1WithRSAEncryption {
        return ChainFault(.weakSignature, at: place, "is signed with SHA-1")
      }
      if let policies = certificate.extensions[oid: CertificatePolicies.identifier], policies.critical {
        do { _ = try CertificatePolicies(derEncoded: Array(policies.value)) } catch {
          return ChainFault(
            .policiesUnreadable, at: place, "has critical certificate policies that cannot be read: \(error)")
        }
      }
      guard place > 0 else { continue }
      guard isRoot || certificate.version == .v3 else {
        return ChainFault(.version, at: place, "issues certificates but is not of version 3")
      }
      guard (try? certificate.extensions.keyUsage?.keyCertSign ?? true) == true else {
        return ChainFault(
          .keyUsage, at: place, "issues certificates, but its key usage forbids that or cannot be read")
      }
      guard certificate.allowsUsages(of: path[0]) else {
        return ChainFault(
          .keyUsage, at: place,
          "issues certificates, but its extended key usage is critical and lacks a usage of the leaf")
      }
    }
    return nil
  }
}

extension Certificate {
  /// Whether the extended key usage, where it is critical, has all usages of `leaf`.
  fileprivate func allowsUsages(of leaf: Certificate) -> Bool {
    guard extensions[oid: .X509ExtensionID.extendedKeyUsage]?.critical == true else { return true }
    guard let own = try? extensions.extendedKeyUsage else { return false }
    return own.contains(.any)
      || (try? leaf.extensions.extendedKeyUsage)?.allSatisfy { own.contains($0) } == true
  }
}
