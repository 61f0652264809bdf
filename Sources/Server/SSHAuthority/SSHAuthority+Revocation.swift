package import Accounts
internal import BindingFormats
internal import Foundation
package import JourneyStore
package import SSHFormats
internal import SecurityEvents
internal import StrictJSON

/// The certificates to revoke.
package enum SSHRevocationTarget: Sendable, Hashable {
  /// One certificate.
  case serial(UInt64)

  /// All current certificates of the account.
  case account(username: String)

  /// All certificates of a key, given as a line of a `.pub` file; the key gets no more certificates.
  case key(line: String)
}

extension SSHAuthority {
  /// Revokes certificates that have not expired. Servers and clients learn about it from ``revoked(_:)``.
  ///
  /// - Throws: ``SSHRefusal``, also for a serial number that the realm does not know; `AccountRefusal`, also for a missing account;
  ///   or the store's error.
  package func revoke(
    _ target: SSHRevocationTarget, in realm: String, by actor: AccountActor
  ) async throws -> SSHRevocationCount {
    switch target {
    case .account(let username): try await revokeAccount(username, realm, by: actor)
    case .serial(let serial): try await revokeSerial(serial, realm, by: actor)
    case .key(let line): try await revokeKey(line, realm, by: actor)
    }
  }

  private func revokeAccount(
    _ username: String, _ realm: String, by actor: AccountActor
  ) async throws -> SSHRevocationCount {
    if let fault = LoginName.faultInAddress(username) { throw AccountRefusal.invalid(fault) }
    let account = UniversalID(username: username, realm: realm)
    let permit = try await accounts.permit(.revokeCertificates, account, by: actor)
    _ = try await settings(of: realm)
    guard let user = try await accounts.store.user(account) else { throw AccountRefusal.noSuchUser }
    let count = try await revoke(.account(account), realm, permit.caller)
    try await accounts.record(
      .revokeCertificates, of: account, id: user.id, by: actor, detail: Self.detail(count))
    return count
  }

  private func revokeSerial(
    _ serial: UInt64, _ realm: String, by actor: AccountActor
  ) async throws -> SSHRevocationCount {
    let caller = try await requireAdministrator(actor, of: realm, gives: false)
    _ = try await settings(of: realm)
    let count = try await revoke(.serial(serial), realm, caller)
    let isKnown = if count.total > 0 { true } else { try await stored.knows(serial: serial, in: realm) }
    guard isKnown else {
      throw SSHRefusal(
        .notFound,
        "The realm has no certificate with the serial number \(serial): it expired more than a day ago, or was issued after the backup that the database was restored from. If it may still be valid, rotate the key and retire the previous one, which revokes everything that the previous key signed."
      )
    }
    try await note(
      .sshCertificatesRevoked, realm, actor, Self.detail(count, ["serial": .string(String(serial))]))
    return count
  }

  private func revokeKey(
    _ line: String, _ realm: String, by actor: AccountActor
  ) async throws -> SSHRevocationCount {
    let caller = try await requireAdministrator(actor, of: realm, gives: false)
    _ = try await settings(of: realm)
    let key: HostKey
    do throws(SSHFormatError) { key = try HostKey.parse(line: line).key } catch {
      throw SSHRefusal(.invalid, "The public key cannot be read: \(error)")
    }
    guard try await !stored.standing(of: key.fingerprint, in: realm).isAuthority else {
      throw SSHRefusal(.invalid, "The key belongs to an authority: it is retired, not revoked.")
    }
    let count = try await revoke(.key(fingerprint: key.fingerprint, publicKey: key.blob), realm, caller)
    try await note(
      .sshCertificatesRevoked, realm, actor, Self.detail(count, ["key": .string(key.fingerprint)]))
    return count
  }

  private func revoke(
    _ revocation: SSHRevocation, _ realm: String, _ caller: Caller?
  ) async throws -> SSHRevocationCount {
    try await stored.revoke(revocation, in: realm, at: accounts.clock(), by: caller)
  }

  /// The detail of the event.
  private static func detail(
    _ count: SSHRevocationCount, _ what: JSONObject = JSONObject()
  ) -> JSONObject {
    var detail = what
    detail["count"] = .integer(Int64(count.total))
    return detail
  }

  /// The realm's revocation list for `RevokedKeys` and `RevokedHostKeys`: certificates, keys, and the authority's retired keys.
  ///
  /// - Throws: ``SSHRefusal`` when the realm has no authority.
  package func revoked(_ realm: String) async throws -> KeyRevocationList {
    _ = try await settings(of: realm)
    let revocations = try await stored.revocations(of: realm)
    let now = UInt64(max(0, accounts.clock().timeIntervalSince1970))
    let certificates = revocations.serials.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map { authority, serials in
        KeyRevocationList.Certificates(authority: authority, serials: serials.map { $0...$0 })
      }
    return KeyRevocationList(
      version: now, generatedAt: now, comment: "sealring \(realm)", certificates: certificates,
      keys: revocations.keys)
  }
}
