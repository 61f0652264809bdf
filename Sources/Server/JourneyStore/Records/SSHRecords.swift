package import BindingFormats
package import Foundation
package import StrictJSON

/// What a key of ``StoredSSHAuthorities`` is for.
package enum SSHKeyPurpose: String, Sendable, Hashable, CaseIterable {
  /// It signs users' certificates, or hosts'.
  case user, host

  /// It signs nothing here; it is kept because it is revoked.
  case none
}

/// A realm's authority for SSH certificates.
package struct SSHAuthorityRecord: Sendable, Hashable {
  package var realm: String

  /// The rules, in the form of the module SSHAuthority.
  package var settings: JSONObject
}

/// A key of an authority, or a revoked key.
package struct SSHKeyRecord: Sendable, Hashable {
  /// The fingerprint as OpenSSH shows it; it names the key.
  package var fingerprint: String
  package var purpose: SSHKeyPurpose

  /// The key in its wire format.
  package var publicKey: [UInt8]
  package var createdAt: Date

  /// When it was retired or revoked.
  package var revokedAt: Date?

  package init(
    fingerprint: String, purpose: SSHKeyPurpose, publicKey: [UInt8], createdAt: Date, revokedAt: Date? = nil
  ) {
    (self.fingerprint, self.purpose, self.publicKey) = (fingerprint, purpose, publicKey)
    (self.createdAt, self.revokedAt) = (createdAt, revokedAt)
  }
}

/// A certificate that was issued.
package struct SSHCertificateRecord: Sendable, Hashable {
  package var realm: String

  /// The account that it is for; `nil` for a host's.
  package var username: String?
  package var accountID: String?

  /// Unique in the realm; at most 63 bits.
  package var serial: UInt64

  /// The fingerprints of the key that signed it, and of its own.
  package var authority: String
  package var subject: String
  package var principals: [String]
  package var isAttested: Bool
  package var createdAt: Date
  package var expiresAt: Date

  /// The revision of the account that it is based on: it is not stored when the account was changed since. `nil` for any.
  package var accountRevision: Int?

  package init(
    realm: String, username: String?, accountID: String?, serial: UInt64, authority: String, subject: String,
    principals: [String], isAttested: Bool, createdAt: Date, expiresAt: Date
  ) {
    (self.realm, self.username, self.accountID, self.serial) = (realm, username, accountID, serial)
    (self.authority, self.subject, self.principals) = (authority, subject, principals)
    (self.isAttested, self.createdAt, self.expiresAt) = (isAttested, createdAt, expiresAt)
  }

  var purpose: SSHKeyPurpose { username == nil ? .host : .user }
}

/// What a realm has revoked.
package struct SSHRevocations: Sendable, Hashable {
  /// Revoked keys, and retired keys of authorities, in their wire format.
  package var keys: [[UInt8]]

  /// Serial numbers by the authority's key.
  package var serials: [[UInt8]: [UInt64]]
}

/// How many certificates were revoked.
package struct SSHRevocationCount: Sendable, Hashable {
  package var users = 0
  package var hosts = 0

  package var total: Int { users + hosts }

  init(_ purposes: [SSHKeyPurpose]) {
    users = purposes.count(where: { $0 == .user })
    hosts = purposes.count(where: { $0 == .host })
  }
}

/// Which certificates are to be revoked.
package enum SSHRevocation: Sendable, Hashable {
  case serial(UInt64)

  /// The certificates of the account; a host's certificate has none.
  case account(UniversalID)

  /// The key, for which no certificate is issued any more.
  case key(fingerprint: String, publicKey: [UInt8])
}
