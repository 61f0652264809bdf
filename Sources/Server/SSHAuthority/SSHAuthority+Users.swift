internal import Accounts
internal import BindingFormats
internal import Bytes
internal import Crypto
package import Foundation
internal import JOSE
package import JourneyStore
internal import KeyAttestation
internal import SSHFormats
package import StrictJSON

/// An account's request for a certificate.
package struct SSHCertificateRequest: Sendable {
  /// The key as a line of a `.pub` file.
  package var publicKey: String

  /// A subset of the account's principals; `nil` for all.
  package var principals: [String]?

  /// The challenge from ``SSHAuthority/challenge(for:in:)``.
  package var challenge: [UInt8]?

  /// The key as a JWK, with its attestation. It counts only with a challenge.
  package var attestation: JSONObject?

  package init(
    publicKey: String, principals: [String]? = nil, challenge: [UInt8]? = nil, attestation: JSONObject? = nil
  ) {
    (self.publicKey, self.principals, self.challenge) = (publicKey, principals, challenge)
    self.attestation = attestation
  }
}

/// A certificate that was issued and recorded.
package struct IssuedSSHCertificate: Sendable {
  /// The certificate as a line of a file `NAME-cert.pub`.
  package let line: String
  package let serial: UInt64
  package let principals: [String]
  package let expiresAt: Date
  package let isAttested: Bool
}

extension SSHAuthority {
  /// Types of keys that users' certificates can have.
  private static let userKeyTypes = [SSHPublicKey.type, SSHPublicKey.securityKeyType]

  /// A challenge for the attestation of a key.
  ///
  /// - Throws: ``SSHRefusal``; ``StoreError/unavailable(_:)`` while this server has no secret for challenges.
  package func challenge(
    for session: SessionRecord, in realm: String
  ) async throws -> (bytes: [UInt8], expiry: Date) {
    _ = try await settings(of: realm)
    let user = try await owner(of: session, in: realm).user
    guard
      let made = challenges.make(
        realm: realm, accountID: user.id, now: accounts.clock(), randomBytes)
    else { throw StoreError.unavailable("this server has no secret for challenges") }
    return made
  }

  /// Certifies a key for the session's account, by the realm's rules.
  ///
  /// - Throws: ``SSHRefusal``, `AccountRefusal`, or the store's error.
  package func certify(
    _ request: SSHCertificateRequest, for session: SessionRecord, in realm: String
  ) async throws -> IssuedSSHCertificate {
    let settings = try await settings(of: realm)
    let (user, permit) = try await owner(of: session, in: realm)
    try Self.require(settings, of: session)
    let now = accounts.clock()
    try await requireUnlocked(user, at: now)
    let (key, comment) = try await certifiable(request.publicKey, types: Self.userKeyTypes, in: realm)
    let once = try once(request.challenge, user, in: realm, at: now)
    let attested = try await attested(request, key, settings)
    let principals = try Self.principals(request.principals, of: user, settings, accounts.schema)
    // The certificate ends no later than the session that it is based on.
    let end = min(now.addingTimeInterval(TimeInterval(settings.lifetime)), session.expiresAt)
    let draft = Draft(
      key: key, comment: comment, purpose: .user, owner: user, principals: principals,
      extensions: settings.extensions,
      start: now, end: end, attestation: attested, journey: session.service ?? "")
    let (issued, record) = try await issue(draft, in: realm, for: user, once: once, by: permit.caller)
    try await accounts.record(
      .certifyKey, of: user.account, id: user.id, by: .session(session), detail: record.detail)
    return issued
  }

  /// The account of a session, which must belong to the realm.
  private func owner(
    of session: SessionRecord, in realm: String
  ) async throws -> (user: UserRecord, permit: Accounts.Permit) {
    guard session.realm == realm else {
      throw SSHRefusal(.forbidden, "The session is of another realm.")
    }
    let account = session.account
    let permit = try await accounts.permit(.certifyKey, account, by: .session(session))
    guard let user = try await accounts.store.user(account), user.id == session.accountID, user.isActive
    else {
      throw SSHRefusal(.forbidden, "The account is not active.")
    }
    return (user, permit)
  }

  private static func require(_ settings: SSHAuthoritySettings, of session: SessionRecord) throws(SSHRefusal)
  {
    var detail: JSONObject = ["authLevel": .integer(Int64(settings.authLevel))]
    detail["journey"] = settings.journey.map { .string($0) }
    guard session.authLevel >= settings.authLevel else {
      throw SSHRefusal(
        .forbidden, "A certificate needs a session of authentication level \(settings.authLevel).",
        detail: detail)
    }
    guard settings.journey == nil || session.service == settings.journey else {
      throw SSHRefusal(
        .forbidden, "A certificate needs a session of journey \(settings.journey ?? "").", detail: detail)
    }
  }

  private func requireUnlocked(_ user: UserRecord, at now: Date) async throws {
    let locks = try await accounts.store.locks(usernames: [user.username], realm: user.realm, now: now)
    guard locks.isEmpty else { throw SSHRefusal(.forbidden, "The account is locked. Try again later.") }
  }

  /// Reads a key, and checks that it may be certified.
  func certifiable(
    _ line: String, types: [String], in realm: String
  ) async throws -> (key: HostKey, comment: String) {
    let (key, comment): (HostKey, String)
    do throws(SSHFormatError) {
      (key, comment) = try HostKey.parse(line: line)
      // Parsing checks that the point is on the curve.
      if key.type == SSHPublicKey.type { _ = try SSHPublicKey(parsing: key.blob) }
    } catch { throw SSHRefusal(.invalid, "The public key cannot be read: \(error)") }
    guard types.contains(key.type) else {
      throw SSHRefusal(
        .invalid, "Keys of type \(key.type) are not certified; take \(types.joined(separator: " or ")).")
    }
    let standing = try await stored.standing(of: key.fingerprint, in: realm)
    guard !standing.isAuthority else {
      throw SSHRefusal(.invalid, "The key belongs to an authority, which does not certify itself.")
    }
    guard !standing.isRevoked else { throw SSHRefusal(.forbidden, "The key is revoked.") }
    return (key, comment)
  }

  /// The one-time key that uses up the challenge; `nil` without one.
  private func once(
    _ challenge: [UInt8]?, _ user: UserRecord, in realm: String, at now: Date
  ) throws -> OnceKey? {
    guard let challenge else { return nil }
    guard let expiry = challenges.expiry(of: challenge, realm: realm, accountID: user.id, now: now) else {
      throw SSHRefusal(.forbidden, "The challenge has ended, or was made for another account.")
    }
    let hash = SHA256.hash(data: Array("ssh challenge ".utf8) + challenge)
    return OnceKey(key: Array(hash), expiry: expiry)
  }

  /// The verified attestation of the key; `nil` when the rules require none and the request has no valid one.
  private func attested(
    _ request: SSHCertificateRequest, _ key: HostKey, _ settings: SSHAuthoritySettings
  ) async throws -> VerifiedAttestation? {
    do throws(AttestationFailure) { return try await verified(request, key) } catch {
      guard settings.isAttested else { return nil }
      var detail: JSONObject = ["attested": true]
      detail["journey"] = settings.journey.map { .string($0) }
      throw SSHRefusal(
        .forbidden, "A certificate needs a key with an attestation that this server accepts.",
        detail: detail, cause: "the attestation of the SSH key is refused: \(error)")
    }
  }

  private func verified(
    _ request: SSHCertificateRequest, _ key: HostKey
  ) async throws(AttestationFailure) -> VerifiedAttestation {
    guard let attestation else {
      throw AttestationFailure(.noRootsConfigured, "no attestation roots are configured")
    }
    guard let json = request.attestation, let challenge = request.challenge else {
      throw AttestationFailure(.evidenceMissing, "the request brings no attestation with a challenge")
    }
    let material: JWK.Material?
    do { material = try JWK(json: json).material } catch {
      throw AttestationFailure(.keyRefused, error.reason)
    }
    guard let material, material == Self.material(of: key) else {
      throw AttestationFailure(.keyMismatch, "it attests another key than the one to be certified")
    }
    return try await attestation.verify(jwk: json, challenge: challenge, requiresLockout: false)
  }

  /// The key in the form of a JWK; `nil` for keys in FIDO authenticators, whose attestation is not supported.
  private static func material(of key: HostKey) -> JWK.Material? {
    guard key.type == SSHPublicKey.type, let point = try? SSHPublicKey(parsing: key.blob).point else {
      return nil
    }
    return .p256(x: Array(point[1..<33]), y: Array(point[33...]))
  }

  private static func principals(
    _ wanted: [String]?, of user: UserRecord, _ settings: SSHAuthoritySettings, _ schema: ManagedSchema
  ) throws(SSHRefusal) -> [String] {
    let own = SSHPrincipals.of(user, from: settings.principals, schema)
    guard !own.isEmpty else {
      throw SSHRefusal(.forbidden, "The account has no principals.")
    }
    guard let wanted else { return own }
    guard !wanted.isEmpty, wanted.allSatisfy(own.contains) else {
      throw SSHRefusal(.forbidden, "The account does not have all of these principals.")
    }
    return own.filter(wanted.contains)
  }
}
