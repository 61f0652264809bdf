package import Accounts
internal import Bytes
internal import Crypto
package import Foundation
package import JourneyStore
package import KeyAttestation
internal import SSHFormats
package import SecurityEvents
internal import StrictJSON

/// The realms' authorities for SSH certificates. They decide who gets which certificate, for which key and how long, and what is revoked.
///
/// REST and the command line only parse, call and show.
package struct SSHAuthority: Sendable {
  let accounts: Accounts
  let stored: StoredSSHAuthorities
  let events: SecurityEvents
  let randomBytes: @Sendable (Int) -> [UInt8]

  /// Verifies keys' attestations; `nil` when no roots are configured.
  let attestation: AttestationVerifier?
  let challenges: SSHChallenges

  /// - Parameters:
  ///   - accounts: decides what may happen to accounts; its clock is used.
  ///   - attestation: `nil` when no attestation can be verified.
  package init(
    accounts: Accounts, events: SecurityEvents, randomBytes: @escaping @Sendable (Int) -> [UInt8],
    attestation: AttestationVerifier? = nil, challenges: SSHChallenges = SSHChallenges(secrets: { [] })
  ) {
    (self.accounts, self.events, self.randomBytes) = (accounts, events, randomBytes)
    (self.attestation, self.challenges) = (attestation, challenges)
    stored = StoredSSHAuthorities(accounts.store)
  }

  /// The public part of a realm's authority.
  package struct Published: Sendable {
    package let settings: SSHAuthoritySettings

    /// The signing key first, then the older keys that are still accepted.
    package let userKeys: [Key]
    package let hostKeys: [Key]
  }

  /// A key of an authority.
  package struct Key: Sendable {
    package let fingerprint: String

    /// The line for `TrustedUserCAKeys`, or after `@cert-authority` in `known_hosts`.
    package let line: String
    package let createdAt: Date
  }

  /// - Throws: ``SSHRefusal`` when the realm has no authority.
  package func published(_ realm: String) async throws -> Published {
    let settings = try await settings(of: realm)
    let keys = try await stored.keys(of: realm)
    func lines(_ purpose: SSHKeyPurpose) throws -> [Key] {
      try keys.filter { $0.purpose == purpose }.map { key in
        Key(
          fingerprint: key.fingerprint,
          line: try HostKey(parsing: key.publicKey).line(comment: "sealring \(realm) \(purpose.rawValue)s"),
          createdAt: key.createdAt)
      }
    }
    return Published(settings: settings, userKeys: try lines(.user), hostKeys: try lines(.host))
  }

  func settings(of realm: String) async throws -> SSHAuthoritySettings { try await rules(of: realm).settings }

  /// The rules in force, and as they are stored.
  private func rules(of realm: String) async throws -> (settings: SSHAuthoritySettings, json: JSONObject) {
    guard let record = try await stored.authority(of: realm) else { throw SSHRefusal.noAuthority }
    do { return (try SSHAuthoritySettings(record.settings), record.settings) } catch {
      throw StoreError.corrupt("table ssh_authorities, realm \(realm): \(error)")
    }
  }

  // MARK: Keys

  /// A key that signs certificates.
  struct SigningKey: Sendable {
    let publicKey: SSHPublicKey
    let privateKey: P256.Signing.PrivateKey

    init(_ privateKey: P256.Signing.PrivateKey) throws {
      self.privateKey = privateKey
      publicKey = try SSHPublicKey(point: Array(privateKey.publicKey.x963Representation))
    }
  }

  /// The key that currently signs for the purpose.
  func signingKey(_ purpose: SSHKeyPurpose, of realm: String) async throws -> SigningKey {
    guard let key = try await stored.keys(of: realm).first(where: { $0.purpose == purpose }) else {
      throw SSHRefusal.noAuthority
    }
    guard let secret = try await stored.secret(of: key.fingerprint) else {
      throw StoreError.corrupt("the private part of the SSH key \(key.fingerprint) is not there")
    }
    return try SigningKey(P256.Signing.PrivateKey(rawRepresentation: secret))
  }

  /// Creates the realm's authority with its two keys.
  ///
  /// - Throws: ``SSHRefusal/authorityExists`` when the realm has one.
  package func create(
    _ settings: SSHAuthoritySettings, of realm: String, by actor: AccountActor
  ) async throws {
    try await requireAdministrator(actor, of: realm)
    let now = accounts.clock()
    let keys = try [SSHKeyPurpose.user, .host].map { try Self.newKey($0, at: now) }
    guard try await stored.set(settings.json, of: realm, newKeys: keys, at: now) else {
      throw SSHRefusal.authorityExists
    }
    try await note(
      .sshAuthorityChanged, realm, actor, ["change": "created", "settings": .object(settings.json)])
  }

  /// Changes the rules of the realm's authority.
  ///
  /// - Parameter change: gets the rules in force, and changes them.
  /// - Returns: the new rules.
  /// - Throws: ``SSHRefusal`` when the realm has no authority, and, with nothing changed, when somebody else changed its rules meanwhile.
  package func change(
    _ realm: String, by actor: AccountActor, _ change: (inout SSHAuthoritySettings) async throws -> Void
  ) async throws -> SSHAuthoritySettings {
    try await requireAdministrator(actor, of: realm)
    let earlier = try await rules(of: realm)
    var settings = earlier.settings
    try await change(&settings)
    guard try await stored.set(settings.json, of: realm, replacing: earlier.json, at: accounts.clock())
    else {
      throw SSHRefusal(
        .conflict, "Somebody else changed the rules meanwhile. These changes were not made; try again.")
    }
    try await note(
      .sshAuthorityChanged, realm, actor, ["change": "settings", "settings": .object(settings.json)])
    return settings
  }

  /// Starts to sign with a new key. The previous key is accepted until it is retired.
  ///
  /// - Parameter purpose: users or hosts.
  /// - Returns: the new key's fingerprint.
  package func rotate(
    _ purpose: SSHKeyPurpose, of realm: String, by actor: AccountActor
  ) async throws -> String {
    try await requireAdministrator(actor, of: realm)
    _ = try await settings(of: realm)
    let latest = try await stored.keys(of: realm).map(\.createdAt).max() ?? .distantPast
    // The newest key signs, even if a clock went back.
    let (key, secret) = try Self.newKey(purpose, at: max(accounts.clock(), latest + 0.001))
    try await stored.add(key, secret: secret, to: realm)
    try await note(
      .sshAuthorityChanged, realm, actor,
      ["change": "rotated", "purpose": .string(purpose.rawValue), "key": .string(key.fingerprint)])
    return key.fingerprint
  }

  /// Retires a key that no longer signs: revokes everything it signed, and deletes its private part.
  ///
  /// - Throws: ``SSHRefusal`` for the key that signs, and for unknown keys.
  package func retire(_ fingerprint: String, of realm: String, by actor: AccountActor) async throws {
    try await requireAdministrator(actor, of: realm)
    guard try await stored.retire(fingerprint, of: realm, at: accounts.clock()) else {
      throw SSHRefusal(
        .notFound, "The realm has no such key, or it is the one that signs: rotate first.")
    }
    try await note(
      .sshAuthorityChanged, realm, actor, ["change": "retired", "key": .string(fingerprint)])
  }

  private static func newKey(
    _ purpose: SSHKeyPurpose, at now: Date
  ) throws -> (key: SSHKeyRecord, secret: [UInt8]) {
    let made = try SigningKey(P256.Signing.PrivateKey())
    let record = SSHKeyRecord(
      fingerprint: made.publicKey.fingerprint, purpose: purpose, publicKey: made.publicKey.blob,
      createdAt: now)
    return (record, Array(made.privateKey.rawRepresentation))
  }

  // MARK: Who may

  /// Requires a session to have a role that administrates the realm.
  ///
  /// - Parameter gives: Whether the act grants access; the session must then be as strong and fresh as for a change of factors.
  /// - Returns: the caller for the write, which checks again.
  @discardableResult
  func requireAdministrator(
    _ actor: AccountActor, of realm: String, gives: Bool = true
  ) async throws -> Caller? {
    switch actor {
    case .operator: return nil
    case .journey: throw AccountRefusal.forbidden("journeys cannot change SSH authorities")
    case .session(let session):
      try await accounts.require(.administrate, session, of: realm)
      if gives { try await accounts.requireProof(session, in: realm) }
      return Caller(
        tokenHash: session.tokenHash, right: .capability(.administrate), now: accounts.clock())
    }
  }

  /// Writes an event that concerns no particular account; it is on disk when this returns.
  func note(
    _ kind: SecurityEvent.Kind, _ realm: String, _ actor: AccountActor, _ detail: JSONObject
  ) async throws {
    var event = SecurityEvent(kind, realm: realm, detail: detail)
    if case .session(let session) = actor { event.actor = "\(session.username)@\(session.realm)" }
    try await events.require(event)
  }
}
