extension StoreTable {
  static let sshAuthorities = StoreTable(
    "ssh_authorities", "Realms that issue SSH certificates, and by which rules.", since: SchemaSince(26, 11),
    [.key("realm_key"), .text("realm"), .json("settings"), .moment("created_at")], [.key("realm_key")])

  static let sshKeys = StoreTable(
    "ssh_keys",
    "Keys that sign SSH certificates of users or hosts, whose private part is in `server_secrets`, and other keys that are revoked. A revoked key stays for good.",
    since: SchemaSince(26, 11),
    [
      .key("realm_key", "fingerprint"),
      .text("purpose").followed(by: "CHECK (purpose IN ('user', 'host', 'none'))"), .bytes("public_key"),
      .moment("created_at"), .moment("revoked_at").optional,
    ], [.key("realm_key", "fingerprint")], TableIndex("ssh_keys_by_fingerprint", "fingerprint"))

  static let sshCertificates = StoreTable(
    "ssh_certificates",
    "SSH certificates until a day after their end. A row outlives its account, because it may be revoked; that of a host has no account.",
    since: SchemaSince(26, 11),
    [
      .accountKey, .text("realm", "username"), .text("account_id").optional, .integer("serial"),
      .text("purpose").followed(by: "CHECK (purpose IN ('user', 'host'))"), .key("authority", "subject"),
      .json("principals"), .flag("attested"), .moment("created_at", "expires_at"),
      .moment("revoked_at").optional,
    ], [.key("realm_key", "serial")], TableIndex("ssh_certificates_by_account", "realm_key, name_key"),
    TableIndex("ssh_certificates_by_key", "realm_key, subject"),
    TableIndex("ssh_certificates_revoked", "realm_key, serial", where: "revoked_at IS NOT NULL"),
    TableIndex("ssh_certificates_by_expiry", "expires_at"))
}
