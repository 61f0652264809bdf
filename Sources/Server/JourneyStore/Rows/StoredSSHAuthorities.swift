package import EvidenceLedger
package import Foundation
package import StrictJSON

/// The realms' authorities for SSH certificates: rules, keys, certificates, and revocations.
///
/// A private key is a secret of the server, sealed and encrypted again like all of them (`ServerStore.secret(named:generate:)`).
package struct StoredSSHAuthorities: Sendable {
  private let store: any ServerStore

  package init(_ store: any ServerStore) { self.store = store }

  // MARK: The authority

  /// The realm's authority; `nil` when it has none.
  package func authority(of realm: String) async throws -> SSHAuthorityRecord? {
    try await store.look(
      SQLStatement(
        "SELECT realm, settings FROM ssh_authorities WHERE realm_key = ?", [RealmKey(realm).realm]
      ).row(of: "ssh_authorities") {
        SSHAuthorityRecord(realm: try $0.text("realm"), settings: try $0.object("settings"))
      })
  }

  /// Creates the realm's authority, or changes its rules.
  ///
  /// - Parameters:
  ///   - earlier: the rules that are replaced, as ``authority(of:)`` has read them; `nil` for a new authority.
  ///   - keys: a new authority's keys, with their private parts.
  /// - Returns: `false`, with nothing changed, when the realm has other rules by now, or, for a new authority, when it has one.
  package func set(
    _ settings: JSONObject, of realm: String, replacing earlier: JSONObject? = nil,
    newKeys keys: [(key: SSHKeyRecord, secret: [UInt8])] = [], at now: Date
  ) async throws -> Bool {
    let key = RealmKey(realm).realm
    return try await store.write("the SSH authority of realm \(realm)") { [serverKey = store.serverKey] in
      let added = try keys.flatMap { try Self.adding($0.key, $0.secret, to: key, serverKey) }
      let row: StatementValues = [
        "realm_key": key, "realm": realm, "settings": settings, "created_at": now,
      ]
      let change =
        earlier.map {
          SQLStatement(
            "UPDATE ssh_authorities SET settings = ?2 WHERE realm_key = ?1 AND settings = ?3",
            [key, settings, $0])
        } ?? .insert(row, into: "ssh_authorities", onConflict: "ON CONFLICT DO NOTHING")
      return .ask(.all(.requireRealm(key), change.isDone)) { _, isDone in .done(isDone, isDone ? added : []) }
    }
  }

  // MARK: Keys

  /// The keys of the realm that sign or are still accepted, the newest first.
  package func keys(of realm: String) async throws -> [SSHKeyRecord] {
    try await store.read(
      SSHKeyRecord.all(
        where: """
          realm_key = ? AND purpose <> 'none' AND revoked_at IS NULL ORDER BY created_at DESC, fingerprint
          """, [RealmKey(realm).realm]))
  }

  /// The private part of an authority's key; `nil` when it was retired.
  package func secret(of fingerprint: String) async throws -> [UInt8]? {
    try await store.storedSecret(SSHSQL.secretName(fingerprint))
  }

  /// Adds a key, which signs from now on.
  package func add(_ key: SSHKeyRecord, secret: [UInt8], to realm: String) async throws {
    let realmKey = RealmKey(realm).realm
    try await store.write("an SSH key of realm \(realm)") { [serverKey = store.serverKey] in
      let added = try Self.adding(key, secret, to: realmKey, serverKey)
      return .ask(.requireRealm(realmKey)) { .done((), added) }
    }
  }

  private static func adding(
    _ key: SSHKeyRecord, _ secret: [UInt8], to realm: String, _ serverKey: ServerKey
  ) throws -> [SQLStatement] {
    let name = SSHSQL.secretName(key.fingerprint)
    return [
      SQLStatement(ServerKeySQL.addSecret, [name, try serverKey.seal(secret, named: name)]),
      .insert(key.row(realm), into: "ssh_keys"),
    ]
  }

  /// Retires a key of the authority: what it has signed is revoked, and its private part is deleted.
  ///
  /// - Returns: `false`, with nothing changed, for an unknown key, a retired key, and the key that signs.
  package func retire(_ fingerprint: String, of realm: String, at now: Date) async throws -> Bool {
    let key = RealmKey(realm).realm
    return try await store.write("an SSH key of realm \(realm)") {
      .ask(SQLStatement(SSHSQL.retire, [key, fingerprint, now]).isDone) { isDone in
        let name = SSHSQL.secretName(fingerprint)
        return .done(
          isDone, isDone ? [SQLStatement("DELETE FROM server_secrets WHERE name = ?", [name])] : [])
      }
    }
  }

  /// The status of a key: whether it signs for any realm, and whether this realm has revoked it.
  package func standing(
    of fingerprint: String, in realm: String
  ) async throws -> (isAuthority: Bool, isRevoked: Bool) {
    let rows = try await store.rows(
      "ssh_keys", "SELECT realm_key, \(SSHKeyRecord.columns) FROM ssh_keys WHERE fingerprint = ?",
      [fingerprint]
    ) { row in (realm: try row.text("realm_key"), key: try SSHKeyRecord(row)) }
    return (
      rows.contains { $0.key.purpose != .none },
      rows.contains { $0.realm == RealmKey(realm).realm && $0.key.revokedAt != nil }
    )
  }

  // MARK: Certificates

  /// Why a certificate was not stored.
  package enum Refusal: Error, Sendable, Hashable {
    /// The account is inactive or another one by now, or a key was revoked meanwhile.
    case changedMeanwhile

    /// The challenge was used.
    case replayed
  }

  /// Stores a certificate with its entry in the ledger, and consumes its challenge: all in one write, or nothing.
  ///
  /// - Parameters:
  ///   - once: the challenge, if there was one.
  ///   - caller: checked again in the write.
  /// - Throws: ``Refusal``; ``StoreError/exhausted(_:)`` when the account has filled the ledger for today.
  package func issue(
    _ certificate: SSHCertificateRecord, evidence: EvidenceRecord?, once: OnceKey?, by caller: Caller?
  ) async throws {
    let account = AccountKey(username: certificate.username ?? "", realm: certificate.realm)
    let insert = certificate.insertion(account)
    let guarded = SQLQuestion<(Caller.Holder?, Void, Bool, Bool)>.all(
      .caller(caller, over: account), .requireRealm(account.realm), insert.isDone, .consuming(once)
    ).map { _, _, isStored, isFirst in
      guard isStored else { throw Refusal.changedMeanwhile }
      guard isFirst else { throw Refusal.replayed }
    }
    let subject = "the SSH certificate \(certificate.serial)"
    guard let evidence else {
      return try await store.write(subject) { .ask(guarded) { .done(()) } }
    }
    try await store.withLane { lane in
      try await store.write(subject) { [ledger = store.ledger, quotas = store.quotas] in
        let questions = SQLQuestion.all(guarded, EvidenceSQL.head(lane, of: ledger))
        return .ask(questions) { _, head in
          .next(.ask(try EvidenceSQL.append([evidence], after: head, ledger, quotas)) { _ in .done(()) })
        }
      }
    }
  }

  /// Revokes certificates that have not expired and are not revoked yet.
  package func revoke(
    _ revocation: SSHRevocation, in realm: String, at now: Date, by caller: Caller?
  ) async throws -> SSHRevocationCount {
    let key = RealmKey(realm).realm
    var target = AccountKey(ofAll: realm)
    let (condition, value): (String, any StoredValueConvertible)
    var added: [SQLStatement] = []
    switch revocation {
    case .serial(let serial): (condition, value) = ("serial = ?3", serial)
    case .account(let account):
      target = AccountKey(account)
      // The rows of hosts have an empty name.
      (condition, value) = ("name_key = ?3 AND purpose = 'user'", target.name)
    case .key(let fingerprint, let publicKey):
      (condition, value) = ("subject = ?3", fingerprint)
      let record = SSHKeyRecord(
        fingerprint: fingerprint, purpose: .none, publicKey: publicKey, createdAt: now, revokedAt: now)
      added = [.insert(record.row(key), into: "ssh_keys", onConflict: "ON CONFLICT DO NOTHING")]
    }
    let purposes = SQLStatement(
      """
      UPDATE ssh_certificates SET revoked_at = ?2
      WHERE realm_key = ?1 AND revoked_at IS NULL AND expires_at > ?2 AND \(condition) RETURNING purpose
      """, [key, now, value]
    ).rows(of: "ssh_certificates") { try $0.known("purpose") as SSHKeyPurpose }
    return try await store.write("SSH certificates of realm \(realm)") { [target, added] in
      .ask(.all(.caller(caller, over: target), purposes)) { _, purposes in
        .done(SSHRevocationCount(purposes), added)
      }
    }
  }

  /// Whether the realm has a row of the certificate, which stays until a day after its end.
  package func knows(serial: UInt64, in realm: String) async throws -> Bool {
    try await store.read(
      SQLStatement(
        "SELECT EXISTS (SELECT 1 FROM ssh_certificates WHERE realm_key = ? AND serial = ?)",
        [RealmKey(realm).realm, serial]
      ).flag)
  }

  /// The keys that the realm has revoked, and the certificates whose rows have not been removed since their end.
  package func revocations(of realm: String) async throws -> SSHRevocations {
    let key = RealmKey(realm).realm
    let question = SQLQuestion.all(
      SQLStatement(
        "SELECT public_key FROM ssh_keys WHERE realm_key = ? AND revoked_at IS NOT NULL ORDER BY fingerprint",
        [key]
      ).rows(of: "ssh_keys") { try $0.bytes() },
      SQLStatement(SSHSQL.revokedCertificates, [key]).rows(of: "ssh_certificates") { row in
        guard let serial = UInt64(exactly: try row.integer("serial")) else {
          throw row.damaged("serial", "a serial number")
        }
        return (authority: try row.bytes("public_key"), serial: serial)
      })
    let (keys, certificates) = try await store.read(question)
    return SSHRevocations(
      keys: keys,
      serials: Dictionary(grouping: certificates, by: \.authority).mapValues { $0.map(\.serial) })
  }
}

enum SSHSQL {
  private static let secretPrefix = "ssh authority key "

  /// The name of a private key among the server's secrets.
  fileprivate static func secretName(_ fingerprint: String) -> String { secretPrefix + fingerprint }

  /// Never retires the key that signs: ``StoredSSHAuthorities/keys(of:)`` has the same order.
  fileprivate static let retire: SQL = """
    UPDATE ssh_keys SET revoked_at = ?3
    WHERE realm_key = ?1 AND fingerprint = ?2 AND revoked_at IS NULL AND EXISTS (
      SELECT 1 FROM ssh_keys AS newer WHERE newer.realm_key = ?1 AND newer.purpose = ssh_keys.purpose
        AND newer.revoked_at IS NULL AND (newer.created_at > ssh_keys.created_at
          OR (newer.created_at = ssh_keys.created_at AND newer.fingerprint < ssh_keys.fingerprint)))
      AND purpose <> 'none'
    """
  /// Anybody may ask for these at any rate, so they have an index of their own.
  static let revokedCertificates: SQL = """
    SELECT public_key, serial FROM ssh_certificates JOIN ssh_keys
        ON ssh_keys.realm_key = ssh_certificates.realm_key AND fingerprint = authority
      WHERE ssh_certificates.realm_key = ? AND ssh_certificates.revoked_at IS NOT NULL ORDER BY serial
    """

  /// The statements for the deletion of a realm; each takes the realm's key.
  static let realmRemovals: [SQL] = [
    """
    DELETE FROM server_secrets WHERE name IN (
      SELECT '\(secretPrefix)' || fingerprint FROM ssh_keys WHERE realm_key = ?)
    """,
    "UPDATE ssh_keys SET revoked_at = \(.databaseTime) WHERE realm_key = ? AND revoked_at IS NULL",
    "DELETE FROM ssh_certificates WHERE realm_key = ?", "DELETE FROM ssh_authorities WHERE realm_key = ?",
  ]
}

extension SQLStatement {
  /// Revokes the SSH certificates of an account, in every transaction that ends its sessions.
  static func revokeCertificates(of key: AccountKey) -> SQLStatement {
    SQLStatement(
      """
      UPDATE ssh_certificates SET revoked_at = \(.databaseTime)
      WHERE realm_key = ? AND name_key = ? AND purpose = 'user' AND revoked_at IS NULL
      """, key.values)
  }
}

extension SSHKeyRecord: StoredRecord {
  package static var table: StoreTable { .sshKeys }

  package init(_ row: StoredRow) throws {
    try self.init(
      fingerprint: row.text("fingerprint"), purpose: row.known("purpose"), publicKey: row.bytes("public_key"),
      createdAt: row.date("created_at"), revokedAt: row.optionalDate("revoked_at"))
  }

  fileprivate func row(_ realm: String) -> StatementValues {
    [
      "realm_key": realm, "fingerprint": fingerprint, "purpose": purpose.rawValue, "public_key": publicKey,
      "created_at": createdAt, "revoked_at": revokedAt,
    ]
  }
}

extension SSHCertificateRecord {
  /// Inserts an account's certificate only while the account exists and is active; a host's certificate has no account. The authority's key
  /// must not be retired. The subject's key must neither be an authority's nor revoked in this realm.
  fileprivate func insertion(_ account: AccountKey) -> SQLStatement {
    let isHost = username == nil
    let row: StatementValues = [
      "account_id": isHost ? nil : accountID, "serial": serial, "purpose": purpose.rawValue,
      "authority": authority, "subject": subject, "principals": JSONValue.strings(principals),
      "attested": isAttested, "created_at": createdAt, "expires_at": expiresAt,
    ]
    let source = isHost ? "ssh_authorities AS owner WHERE realm_key = ?" : Self.fromAccount
    return .insert(
      row, into: "ssh_certificates",
      of: "realm_key, \(isHost ? "'', realm, ''" : "name_key, realm, username")",
      from: """
        \(source)
          AND EXISTS (SELECT 1 FROM ssh_keys WHERE ssh_keys.realm_key = owner.realm_key AND fingerprint = ?
            AND purpose = ? AND revoked_at IS NULL)
          AND NOT EXISTS (SELECT 1 FROM ssh_keys WHERE fingerprint = ?
            AND (purpose <> 'none' OR ssh_keys.realm_key = owner.realm_key))
        """,
      [account.realm]
        + (isHost ? [] : [account.name, accountID, accountRevision, accountRevision])
        + [authority, purpose.rawValue, subject])
  }

  private static let fromAccount = """
    users AS owner WHERE realm_key = ? AND name_key = ? AND account_id = ? AND is_active
      AND (? IS NULL OR revision = ?)
    """
}
