internal import Bytes
internal import CryptoExtras
public import Foundation
internal import JOSE
public import KeyAttestation
internal import StrictJSON
internal import SwiftASN1
public import WebAuthnFormats
internal import X509

/// The FIDO Alliance's metadata about authenticator models: a blob of its metadata service, verified (FIDO Metadata Service 3.0,
/// §3.1).
///
/// The blob comes from a file; nothing here fetches it.
public struct AuthenticatorMetadata: Sendable {
  /// The metadata of one model.
  public struct Entry: Sendable, Hashable {
    /// The name for people.
    public let name: String

    /// Roots of the model's attestation certificates, or those certificates themselves.
    public let roots: TrustAnchors

    /// FIDO's reports on the model, in their order, as it names them.
    public let statuses: [String]

    /// The highest level to which it was certified.
    public let certification: CertificationLevel?

    /// The status that makes the model unacceptable, if it has one.
    public var disqualifyingStatus: String? { statuses.first(where: Self.disqualifying.contains) }

    private static let disqualifying: Set = [
      "REVOKED", "USER_VERIFICATION_BYPASS", "ATTESTATION_KEY_COMPROMISE", "USER_KEY_REMOTE_COMPROMISE",
      "USER_KEY_PHYSICAL_COMPROMISE",
    ]
  }

  /// Longest accepted blob in bytes; today's has about eight million.
  public static let maximumBytes = 32 << 20

  /// The name that the signer's certificate must be for: under a public root, many others have certificates, too.
  public static let signerName = "mds.fidoalliance.org"

  /// The number of the blob. An older blob than the last one must not be accepted.
  public let number: Int64

  /// The day by which there is a newer blob, `YYYY-MM-DD`.
  public let nextUpdate: String

  /// Whether there is a newer blob at `time`, so that this one lacks the latest reports.
  package func isOutdated(at time: Date) -> Bool {
    // Days in this form are in the order of their texts.
    nextUpdate < time.formatted(.iso8601.year().month().day())
  }

  private let entries: [AAGUID: Entry]

  /// The entry of a model; `nil` for one that FIDO does not know, and for the AAGUID zero.
  public subscript(aaguid: AAGUID) -> Entry? { entries[aaguid] }

  /// How many models there are.
  public var count: Int { entries.count }

  /// Reads and verifies a blob: a compact JWS whose header has the signer's certificates.
  ///
  /// - Parameters:
  ///   - roots: the roots, one of which the signer's certificate must lead to.
  ///   - signerName: the DNS name that the certificate must be for.
  ///   - time: the time at which it must be valid.
  /// - Throws: ``MetadataError``.
  public init(
    blob: [UInt8], roots: TrustAnchors, signerName: String = AuthenticatorMetadata.signerName, at time: Date
  ) async throws(MetadataError) {
    guard blob.count <= Self.maximumBytes else {
      throw MetadataError("it has more than \(Self.maximumBytes) bytes")
    }
    let text = String(decoding: blob, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    let jws: UnverifiedJWS
    do throws(JOSEError) {
      jws = try UnverifiedJWS(
        compact: text, limits: JWSLimits(maximumBytes: Self.maximumBytes, maximumDepth: 32))
    } catch {
      throw MetadataError(error.reason)
    }
    try await Self.requireSignature(jws, roots, signerName, time)
    let payload: JSONValue
    do throws(JSONError) {
      payload = try JSONValue(
        parsing: jws.payload, limits: JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 32))
    } catch {
      throw MetadataError(error.description)
    }
    guard let number = payload["no"]?.integerValue, let nextUpdate = payload["nextUpdate"]?.stringValue,
      let list = payload["entries"]?.arrayValue
    else { throw MetadataError("the payload lacks no, nextUpdate or entries") }
    self.number = number
    self.nextUpdate = nextUpdate
    var entries: [AAGUID: Entry] = [:]
    for item in list {
      // Entries without AAGUID belong to authenticators for U2F and UAF.
      guard let aaguid = item["aaguid"]?.stringValue.flatMap(AAGUID.init(uuid:)), aaguid != .zero else {
        continue
      }
      entries[aaguid] = try Entry(item, aaguid)
    }
    self.entries = entries
  }

  private static func requireSignature(
    _ jws: UnverifiedJWS, _ roots: TrustAnchors, _ signerName: String, _ time: Date
  ) async throws(MetadataError) {
    let texts = jws.header.json["x5c"]?.arrayValue?.map { $0.stringValue.flatMap { PaddedBase64.decode($0) } }
    guard let texts, !texts.contains(nil) else {
      throw MetadataError("the header has no certificates (x5c) in Base64")
    }
    let leaf: Certificate
    do throws(AttestationFailure) {
      let chain = try UnverifiedChain(der: texts.compactMap(\.self))
      _ = try await chain.verified(
        against: roots, revoked: RevokedSerialNumbers(), at: time,
        handling: TPMKeyUsage.handledExtensions)
      leaf = chain.leaf
    } catch {
      throw MetadataError("the signer's certificate is not trusted: \(error)")
    }
    let names = (try? leaf.extensions.subjectAlternativeNames).map { Array($0) } ?? []
    guard
      names.contains(.dnsName(signerName))
        || leaf.subject.texts(of: .RDNAttributeType.commonName) == [signerName]
    else { throw MetadataError("the signer's certificate is not for \(signerName)") }
    guard let key = SignatureKey(leaf.publicKey), isValid(jws, key) else {
      throw MetadataError("the signature does not verify")
    }
  }

  private static func isValid(_ jws: UnverifiedJWS, _ key: SignatureKey) -> Bool {
    switch jws.header.algorithm {
    case .es256:
      guard let der = try? ECDSASignatureFormat.der(fromRaw: jws.signature, curve: .p256) else {
        return false
      }
      return key.isValid(der, over: jws.signingInput, algorithm: .es256)
    case .rs256: return key.isValid(jws.signature, over: jws.signingInput, algorithm: .rs256)
    case .rs384: return key.isValid(jws.signature, over: jws.signingInput, algorithm: .rs384)
    case .rs512: return key.isValid(jws.signature, over: jws.signingInput, algorithm: .rs512)
    case .hs256: return false
    }
  }
}

extension AuthenticatorMetadata.Entry {
  fileprivate init(_ json: JSONValue, _ aaguid: AAGUID) throws(MetadataError) {
    let statement = json["metadataStatement"]
    name = statement?["description"]?.stringValue ?? aaguid.description
    let certificates = (statement?["attestationRootCertificates"]?.arrayValue ?? []).compactMap { item in
      // Some makers broke the Base64 into lines.
      item.stringValue.flatMap { PaddedBase64.decode($0.filter { !$0.isWhitespace }) }
    }
    do throws(TrustAnchorError) { roots = try TrustAnchors(certificates) } catch {
      throw MetadataError("a root certificate of \(aaguid) cannot be read: \(error.reason)")
    }
    statuses = (json["statusReports"]?.arrayValue ?? []).compactMap { $0["status"]?.stringValue }
    certification = statuses.compactMap(CertificationLevel.init(status:)).max()
  }
}

/// FIDO's levels of certification, weakest first, as AM's settings name them.
public enum CertificationLevel: String, Sendable, Hashable, CaseIterable, Comparable {
  case selfAssertionSubmitted = "SELF_ASSERTION_SUBMITTED"
  case l1 = "FIDO_CERTIFIED_L1"
  case l1plus = "FIDO_CERTIFIED_L1plus"
  case l2 = "FIDO_CERTIFIED_L2"
  case l2plus = "FIDO_CERTIFIED_L2plus"
  case l3 = "FIDO_CERTIFIED_L3"
  case l3plus = "FIDO_CERTIFIED_L3plus"

  /// The level in a status. `FIDO_CERTIFIED`, from before there were levels, is the first.
  init?(status: String) { self.init(rawValue: status == "FIDO_CERTIFIED" ? Self.l1.rawValue : status) }

  public static func < (lhs: Self, rhs: Self) -> Bool {
    (allCases.firstIndex(of: lhs) ?? 0) < (allCases.firstIndex(of: rhs) ?? 0)
  }
}

/// Why a metadata blob is not accepted.
public struct MetadataError: Error, Sendable, Hashable, CustomStringConvertible {
  public let reason: String

  init(_ reason: String) { self.reason = reason }

  public var description: String {
    "The FIDO metadata is not accepted: \(reason). Download the blob again, and check the configured root."
  }
}
