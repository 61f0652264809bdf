extension StoreTable {
  private static func device(
    _ name: String, _ note: String, since: SchemaSince, _ columns: [StoreColumns],
    unique: TableConstraint? = nil, later: [StoreColumns] = []
  ) -> StoreTable {
    StoreTable(
      name, note, since: since,
      [.accountKey, .key("uuid"), .text("realm", "username", "device_name")] + columns
        + [.moment("created_date", "last_access_date")] + later + [.added],
      [.key("realm_key", "name_key", "uuid"), .goesWithAccount] + [unique].compactMap(\.self))
  }

  static let boundDevices = device(
    "bound_devices", "Bound keys: the public key as a JWK.", since: .first,
    [.text("device_id"), .json("key"), .text("thumbprint")],
    unique: .unique("realm_key", "name_key", "thumbprint"), later: [.json("attestation").optional.since(2, 1)]
  )

  static let webAuthnDevices = device(
    "webauthn_devices", "WebAuthn credentials: the public key as a COSE_Key.", since: SchemaSince(8, 1),
    [
      .bytes("credential_id", "public_key"), .integer("sign_count"), .bytes("user_handle"),
      .text("relying_party_id", "aaguid", "attestation_format", "attestation_type"),
      .text("attachment").optional, .json("transports"),
      .flag("is_backup_eligible", "is_backed_up", "is_uv_initialized"),
    ], unique: .unique("realm_key", "credential_id"))

  static let oathDevices = device(
    "oath_devices",
    """
    Authenticators of one-time codes. `period` is null for counters; codes below `next_factor` are used or too old; \
    `drift` counts the time steps by which the device's clock is ahead.
    """,
    since: SchemaSince(7, 1),
    [
      .sealed(as: "authenticator ", "uuid"), .integer("period").optional, .text("hash"), .integer("digits"),
      .integer("truncation_offset").optional, .flag("adds_checksum"), .integer("next_factor", "drift"),
    ])

  static let oathAccounts = StoreTable(
    "oath_accounts", "Whether an account may do without one-time codes.", since: SchemaSince(7, 1),
    [.accountKey, .integer("skip")], [.key("realm_key", "name_key"), .goesWithAccount], isItsIndex: true)

  static let pushDevices = device(
    "push_devices",
    "Devices that get push messages. `refreshed_at` is when the device signed what was stored last.",
    since: SchemaSince(5, 1),
    [
      .key("mechanism_uid"), .text("issuer"), .sealed(as: "push device ", "mechanism_uid"),
      .text("communication_type", "communication_id", "device_type", "device_token"),
    ], unique: .unique("realm_key", "mechanism_uid"),
    later: [.moment("refreshed_at").optional, .moment("token_retired_at").optional.since(6, 1)])

  static let pushAccounts = StoreTable(
    "push_accounts",
    "Messages and wrong answers since the last success, and whether an account may do without push.",
    since: SchemaSince(5, 1),
    [
      .accountKey, .integer("messages", "wrong_answers").initially("0", always: true),
      .moment("latest").initially("0", always: true), .integer("skip").initially("0", always: true),
    ], [.key("realm_key", "name_key"), .goesWithAccount], isItsIndex: true)

  static let pushMessages = StoreTable(
    "push_messages",
    """
    Messages to push devices, with their challenge and answer sealed. One that waits for its device is in `push_inboxes`, signed and \
    readable: only the device's secret answers it.
    """,
    since: SchemaSince(5, 1),
    [
      .accountKey, .key("id"), .text("realm", "username", "kind", "type"), .sealed(as: "push message ", "id"),
      .moment("sent_at", "expires_at"), .text("state"), .integer("wrong_answers"),
      .text("decided_by", "reason").optional,
    ], [.key("realm_key", "id"), .goesWithAccount],
    TableIndex("push_messages_by_user", "realm_key, name_key"),
    TableIndex("push_messages_by_expiry", "expires_at"))

  static let pushInboxes = StoreTable(
    "push_inboxes", "Messages that devices fetch.", since: SchemaSince(5, 1),
    [.key("realm_key", "mechanism_uid", "message_id"), .text("message"), .flag("was_fetched")],
    [
      .key("realm_key", "mechanism_uid", "message_id"),
      .goesWith("push_messages", ["realm_key", "message_id"], ["realm_key", "id"]),
    ], isItsIndex: true, TableIndex("push_inboxes_by_message", "realm_key, message_id"),
    TableIndex(
      "push_inboxes_new", "realm_key, message_id, mechanism_uid", where: "was_fetched = 0",
      since: SchemaSince(5, nil)),
    TableIndex(
      "push_inboxes_new", "realm_key, message_id", where: "NOT was_fetched", since: SchemaSince(nil, 1)))

  static let pushDecisions = StoreTable(
    "push_decisions",
    "Decisions on messages. A decision stays when message, device and account are deleted.",
    since: SchemaSince(5, 1),
    [
      .integer("number").followed(by: "PRIMARY KEY AUTOINCREMENT", only: .sqlite), .account,
      .key("message_id"), .text("type", "state", "device", "device_name"), .text("reason").optional,
      .moment("sent_at", "decided_at"), .text("account_id").optional.since(25, 10),
    ],
    [
      .unique("realm_key", "message_id", only: .sqlite), .key("realm_key", "message_id", only: .postgres),
    ], TableIndex("push_decisions_by_number", "number", since: SchemaSince(nil, 1)),
    TableIndex("push_decisions_by_account", "realm_key, name_key, number"),
    TableIndex("push_decisions_by_date", "decided_at"))
}
