extension StoreTable {
  static let users = StoreTable(
    "users",
    "Accounts. The state of the password is beside its hash; `revision` says which change of an account is the latest.",
    [
      .account, .text("password_hash").optional, .flag("is_active", "is_administrator"),
      .json("mail", "attributes"), .moment("created_at"), .text("account_id").initially("''").since(10, 1),
      .integer("password_version").initially("0").since(10, 1),
      .flag("must_change_password").initially("0").since(10, 1),
      .moment("password_expires_at").optional.since(10, 1),
      .flag("is_help_desk", "is_auditor").initially("0").since(14, 1),
      .integer("revision").initially("0").since(18, 4),
    ], [.key("realm_key", "name_key")],
    // The few accounts that have a role.
    TableIndex(
      "users_with_roles", "realm_key, name_key", where: "is_administrator OR is_help_desk OR is_auditor",
      since: SchemaSince(14, 1)),
    // The kinds of password hashes, counted without reading the accounts.
    TableIndex(
      "users_by_hash_kind", "substr(password_hash, 1, 15 + instr(substr(password_hash, 16), '$'))",
      since: SchemaSince(10, nil)),
    TableIndex("users_by_id", "realm_key, account_id", since: SchemaSince(18, 4)))

  static let identityValues = StoreTable(
    "identity_values",
    "Accounts by the values of their attributes. `unique_value` is the value of an attribute that only one account of the realm may have.",
    since: SchemaSince(18, 4), [.accountKey, .key("attribute", "value"), .key("unique_value").optional],
    [
      .key("realm_key", "name_key", "attribute", "value"), .unique("realm_key", "attribute", "unique_value"),
      .goesWithAccount,
    ], TableIndex("identities_by_value", "realm_key, attribute, value, name_key"))

  static let identityIndex = StoreTable(
    "identity_index", "Which attributes `identity_values` has.", since: SchemaSince(18, 4),
    [.onlyRow, .text("definition")], [.key("id")])

  static let sessions = StoreTable(
    "sessions",
    "Sessions, by the hash of their token. `ends_at` is the earlier of `expires_at` and `latest_access` + `maximum_idle`.",
    [
      .bytes("token_hash"), .text("handle"), .account, .moment("created_at", "latest_access"),
      .seconds("maximum_idle"), .moment("expires_at", "ends_at"), .json("properties"),
      .integer("auth_level").initially("0").since(13, 1), .text("service").optional.since(13, 1),
      .moment("authenticated_at").initially("0").since(13, 1), .added,
    ], [.key("token_hash"), .unique("handle"), .goesWithAccount],
    // So that the oldest sessions of an account are found without reading all of them.
    TableIndex("sessions_by_user", "realm_key, name_key, created_at", since: SchemaSince(21, nil)),
    TableIndex("sessions_by_user", "realm_key, name_key", since: SchemaSince(nil, 1)),
    TableIndex("sessions_by_end", "ends_at"))

  static let lockouts = StoreTable(
    "lockouts",
    "Failures by kind (guesses, codes, signatures) and by the known device that failed; `device` is empty for the count of all others.",
    since: SchemaSince(9, 1),
    [
      .accountKey, .text("kind"), .key("device"), .integer("consecutive_failures", "lock_count"),
      .moment("locked_until").optional, .moment("latest_failure"),
    ], [.key("realm_key", "name_key", "kind", "device")], isItsIndex: true,
    TableIndex("lockouts_by_failure", "latest_failure", since: SchemaSince(nil, 1)))

  static let lockedNames = StoreTable(
    "locked_names", "Names that are locked while their failures are counted, with or without an account.",
    since: SchemaSince(nil, 1), [.accountKey, .moment("latest")], [.key("realm_key", "name_key")],
    TableIndex("locked_names_by_time", "latest"))

  static let realms = StoreTable(
    "realms",
    "Realms beside the configured ones. A deleted one keeps its row, so that requests that were under way add nothing to it.",
    since: SchemaSince(15, 1),
    [.key("realm_key"), .text("name"), .moment("created_at"), .moment("deleted_at").optional],
    [.key("realm_key")])

  static let realmVersion = StoreTable(
    "realm_version", "A number that grows with every change of realms.", since: SchemaSince(15, 1),
    [.onlyRow, .integer("version")], [.key("id")])

  static let recoveryCodes = StoreTable(
    "recovery_codes", "SHA-256 of the recovery codes that are left.", since: SchemaSince(5, 1),
    [.accountKey, .text("kind"), .bytes("hash")],
    [.key("realm_key", "name_key", "kind", "hash"), .goesWithAccount], isItsIndex: true)

  static let grants = StoreTable(
    "grants",
    "What accounts have granted to OpenID Connect clients. `ticket_hash` is of the code, or of the id of a decoupled sign-in.",
    since: SchemaSince(20, 6),
    [
      .accountKey, .key("id"), .text("realm", "username", "account_id"), .integer("password_version"),
      .key("client_id"), .bytes("session_hash").optional, .json("details"),
      .moment("created_at", "expires_at"), .bytes("ticket_hash"), .moment("ticket_expires_at"),
      .moment("ticket_used_at").optional, .bytes("refresh_hash").optional,
      .moment("polled_at", "ended_at").optional,
    ], [.key("realm_key", "name_key", "id"), .goesWithAccount], TableIndex("grants_by_expiry", "expires_at"))

  static let consents = StoreTable(
    "consents", "Scopes that accounts allow clients without being asked again.", since: SchemaSince(20, 6),
    [.accountKey, .key("client_id"), .json("scopes"), .moment("given_at")],
    [.key("realm_key", "name_key", "client_id"), .goesWithAccount])

  static let logoutNotices = StoreTable(
    "logout_notices", "Pending notices of sign-outs to clients; a notice outlives its account.",
    since: SchemaSince(20, 6),
    [
      .accountKey, .key("id"), .text("realm", "username"), .key("client_id"), .json("details"),
      .integer("attempts"), .moment("next_at", "expires_at"),
    ], [.key("realm_key", "name_key", "id")], TableIndex("logout_notices_by_time", "next_at"))
}
