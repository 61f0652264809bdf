internal import Accounts
internal import BindingFormats
internal import Bytes
internal import Crypto
internal import EvidenceLedger
internal import Foundation
internal import JOSE
internal import JourneyStore
internal import KeyAttestation
internal import SSHFormats
internal import StrictJSON

extension SSHAuthority {
  /// A certificate that the rules allow, before it is signed.
  struct Draft: Sendable {
    var key: HostKey
    var comment: String
    var purpose: SSHKeyPurpose

    /// The account that owns the certificate; `nil` for a host's.
    var owner: UserRecord?
    var principals: [String]
    var extensions: [String] = []
    var start: Date
    var end: Date
    var attestation: VerifiedAttestation?
    var journey = ""
  }

  /// The seconds by which hosts' clocks may be slow.
  private static let skew: TimeInterval = 60

  /// Signs a certificate, and stores its row with the ledger entry; both are durable when it returns.
  ///
  /// - Parameters:
  ///   - account: the account that asked and owns the ledger entry; `nil` for the operator, who needs no entry.
  ///   - once: the one-time key to use up in the same write.
  func issue(
    _ draft: Draft, in realm: String, for account: UserRecord?, once: OnceKey? = nil, by caller: Caller?
  ) async throws -> (issued: IssuedSSHCertificate, record: SSHCertificateRecord) {
    let signer = try await signingKey(draft.purpose, of: realm)
    // A random serial number is unique without a query, even after an old backup was restored.
    let serial = randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1
    let name = draft.owner.map { "\($0.username)@\(realm)" } ?? "\(draft.principals[0])@\(realm)"
    let times = (draft.start.addingTimeInterval(-Self.skew), draft.end)
    let (first, last) = (UInt64(times.0.timeIntervalSince1970), UInt64(times.1.timeIntervalSince1970))
    let contents = try SSHCertificate.Contents(
      nonce: randomBytes(32), key: draft.key, serial: serial,
      kind: draft.purpose == .user ? .user : .host, identifier: name.onOneLine, principals: draft.principals,
      validity: first..<max(last, first + 1),
      extensions: Dictionary(draft.extensions.map { ($0, nil) }) { first, _ in first })
    let certificate = try await SSHCertificate(issuing: contents, by: signer.publicKey) {
      Array(try signer.privateKey.signature(for: $0).rawRepresentation)
    }
    var record = SSHCertificateRecord(
      realm: realm, username: draft.owner?.username, accountID: draft.owner?.id, serial: serial,
      authority: signer.publicKey.fingerprint, subject: draft.key.fingerprint, principals: draft.principals,
      isAttested: draft.attestation != nil, createdAt: draft.start,
      expiresAt: Date(timeIntervalSince1970: TimeInterval(last)))
    record.accountRevision = draft.owner?.revision
    let evidence: EvidenceRecord? =
      if let account { try await Self.evidence(certificate, record, draft, account, signer) } else { nil }
    do { try await stored.issue(record, evidence: evidence, once: once, by: caller) } catch {
      switch error {
      case StoredSSHAuthorities.Refusal.changedMeanwhile:
        throw SSHRefusal(.forbidden, "The account or a key was changed meanwhile. Try again.")
      case StoredSSHAuthorities.Refusal.replayed:
        throw SSHRefusal(.forbidden, "The challenge was used before.")
      default: throw error
      }
    }
    let issued = IssuedSSHCertificate(
      line: certificate.line(comment: draft.comment), serial: serial, principals: draft.principals,
      expiresAt: record.expiresAt, isAttested: record.isAttested)
    return (issued, record)
  }

  /// The ledger entry of a certificate, signed by the authority, so that everybody can verify it like any other entry.
  private static func evidence(
    _ certificate: SSHCertificate, _ record: SSHCertificateRecord, _ draft: Draft, _ account: UserRecord,
    _ signer: SigningKey
  ) async throws -> EvidenceRecord {
    let key = try JWK(p256X963: signer.publicKey.point, keyID: record.authority)
    let claims: JSONObject = [
      ProofClaim.issuer: .string("ssh-authority"), ProofClaim.subject: .string(account.universalID),
      ProofClaim.issuedAt: .integer(Int64(record.createdAt.timeIntervalSince1970)),
      ProofClaim.expiry: .integer(Int64(record.expiresAt.timeIntervalSince1970)),
      ProofClaim.challenge: .string(
        "SSH certificate \(record.serial) for \(record.principals.joined(separator: ", "))"),
      "certificate": .string(certificate.line(comment: "")),
    ]
    let jws = try await JWS.compact(
      header: JWSHeader(algorithm: .es256, type: "sealring-ssh-certificate", keyID: record.authority),
      claims: claims, signer: P256Signer(privateKey: signer.privateKey))
    return EvidenceRecord(
      kind: .certify, time: record.createdAt.millisecondsSince1970, realm: account.realm,
      journey: draft.journey, nodeID: "", username: account.username, userID: account.universalID,
      accountID: account.id, device: record.authority, key: key.json, attestation: draft.attestation?.json,
      jws: jws)
  }
}

extension SSHCertificateRecord {
  /// The record as the detail of an event.
  var detail: JSONObject {
    [
      "serial": .string(String(serial)), "key": .string(subject), "authority": .string(authority),
      "principals": .array(principals.map { .string($0) }), "until": .string(expiresAt.formatted(.iso8601)),
      "attested": .bool(isAttested),
    ]
  }
}
