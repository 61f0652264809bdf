package import Accounts
internal import BindingFormats
internal import Foundation
internal import JourneyStore
package import SSHFormats
internal import SecurityEvents
internal import StrictJSON

/// What is taken back.
package enum SSHRevocationTarget: Sendable, Hashable {
  /// One certificate.
  case serial(UInt64)

  /// All certificates that the account has now.
  case account(username: String)

  /// All certificates of a key, a line of a `.pub` file, which gets none any more.
  case key(line: String)
}

extension SSHAuthority {
  /// Takes certificates back. Servers learn it from ``revoked(_:)``.
  ///
  /// - Returns: how many that had not ended.
  /// - Throws: ``SSHRefusal``, `AccountRefusal`, or the store's error.
  package func revoke(
    _ target: SSHRevocationTarget, in realm: String, by actor: AccountActor
  ) async throws -> Int {
    switch target {
    case .account(let username):
      let account = UniversalID(username: username, realm: realm)
      let permit = try await accounts.permit(.revokeCertificates, account, by: actor)
      _ = try await settings(of: realm)
      let count = try await revoke(.account(account), realm, permit.caller)
      let id = try await accounts.store.user(account)?.id
      try await accounts.record(
        .revokeCertificates, of: account, id: id, by: actor, detail: ["count": .integer(Int64(count))])
      return count
    case .serial(let serial):
      let caller = try await requireAdministrator(actor, of: realm, gives: false)
      _ = try await settings(of: realm)
      let count = try await revoke(.serial(serial), realm, caller)
      try await note(
        .sshCertificatesRevoked, realm, actor,
        ["serial": .string(String(serial)), "count": .integer(Int64(count))])
      return count
    case .key(let line):
      let caller = try await requireAdministrator(actor, of: realm, gives: false)
      _ = try await settings(of: realm)
      let key: HostKey
      do throws(SSHFormatError) { key = try HostKey.parse(line: line).key } catch {
        throw SSHRefusal(.invalid, "The public key cannot be read: \(error)")
      }
      guard try await !stored.standing(of: key.fingerprint, in: realm).isAuthority else {
        throw SSHRefusal(.invalid, "The key belongs to an authority: it is retired, not revoked.")
      }
      let count = try await revoke(
        .key(fingerprint: key.fingerprint, publicKey: key.blob), realm, caller)
      try await note(
        .sshCertificatesRevoked, realm, actor,
        ["key": .string(key.fingerprint), "count": .integer(Int64(count))])
      return count
    }
  }

  private func revoke(_ revocation: SSHRevocation, _ realm: String, _ caller: Caller?) async throws -> Int {
    try await stored.revoke(revocation, in: realm, at: accounts.clock(), by: caller)
  }

  /// What the realm has taken back, for `RevokedKeys` and `RevokedHostKeys`: certificates, keys, and the authority's retired keys.
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
