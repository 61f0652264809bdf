internal import EvidenceLedger

extension StoreTable {
  static let consumed = StoreTable(
    "consumed", "Hashes of answered steps, challenges and codes, each accepted once, until they expire.",
    [.bytes("key"), .moment("expires_at")], [.key("key")], isItsIndex: true,
    TableIndex("consumed_by_expiry", "expires_at"))

  static let applications = StoreTable(
    "applications", "Applications that begin transactions; SHA-256 of their secrets.",
    since: SchemaSince(4, 1),
    [
      .key("id", "realm_key", "name_key"), .text("realm", "name"), .bytes("secret_hash"),
      .moment("created_at"), .flag("plain_proofs").initially("0").since(12, 1),
    ],
    [
      .key("id", only: .sqlite), .key("realm_key", "id", only: .postgres), .unique("realm_key", "name_key"),
    ])

  static let transactions = StoreTable(
    "transactions", "Transactions and their signatures. Only `username` may approve.",
    since: SchemaSince(4, 1),
    [
      .key("id", "realm_key"), .text("realm"), .key("application_id"), .text("username").optional,
      .text("journey"), .json("fields"), .moment("created_at", "expires_at"), .moment("decided_at").optional,
      .text("state").followed(by: "CHECK (state IN ('pending', 'approved', 'refused'))"),
      .text("reason", "signer", "key_id", "jws").optional, .bytes("nonce").optional,
      .text("account_id").optional.since(25, 10),
    ],
    [
      .key("id", only: .sqlite), .key("realm_key", "id", only: .postgres),
      .goesWith("applications", ["application_id"], ["id"], only: .sqlite),
      .goesWith("applications", ["realm_key", "application_id"], ["realm_key", "id"], only: .postgres),
    ],
    // Counting an application's open transactions does not depend on how many it had.
    TableIndex(
      "open_transactions", "application_id, expires_at", where: "state = 'pending'",
      since: SchemaSince(11, nil)),
    TableIndex(
      "open_transactions", "realm_key, application_id, expires_at", where: "state = 'pending'",
      since: SchemaSince(nil, 1)),
    TableIndex("transactions_by_application", "application_id", since: SchemaSince(4, nil)),
    TableIndex("transactions_by_application", "realm_key, application_id", since: SchemaSince(nil, 1)),
    TableIndex("transactions_by_expiry", "expires_at"))

  static let evidenceLedger = StoreTable(
    "evidence_ledger", "The ledger's header, and the seal over number and hash of the last entry.",
    since: SchemaSince(3, 1), [.onlyRow, .text("header"), .bytes("seal")], [.key("id")])

  static let evidence = StoreTable(
    "evidence",
    "The entries, exactly as they are exported. An entry stays when account and device are deleted. Retention leaves number and hash of old entries.",
    since: SchemaSince(3, 1),
    [
      .integer("number"), .accountKey, .text("line"), .bytes("hash"),
      .text("account_id").optional.since(25, 10),
    ], [.key("number"), .unique("hash")], TableIndex("evidence_by_account", "realm_key, name_key, number"),
    TableIndex(
      "evidence_by_lane", "(number & \(EvidenceLane.maximum)), number",
      where: "number >= \(EvidenceLane.lowest)", since: SchemaSince(nil, 2)))

  /// Unused until a server has `--ledger-lanes`.
  static let evidenceLanes = StoreTable(
    "evidence_lanes",
    "The seal over number and hash of each further lane's last entry; a number below 64 says that there is none.",
    since: SchemaSince(nil, 2),
    [
      .integer("lane").followed(by: "CHECK (lane BETWEEN 1 AND \(EvidenceLane.maximum))"),
      .integer("last"), .bytes("seal"),
    ], [.key("lane")])

  static let evidenceEpochs = StoreTable(
    "evidence_epochs",
    "The signed merges of the lanes, with the roots of the tree's complete subtrees, which are checked against the signed root.",
    since: SchemaSince(nil, 2), [.integer("epoch"), .text("checkpoint"), .bytes("peaks")], [.key("epoch")])

  static let evidenceRetention = StoreTable(
    "evidence_retention", "How many entries have lost their content, sealed.", since: SchemaSince(16, 2),
    [.onlyRow, .integer("removed"), .bytes("seal")], [.key("id")])

  static let evidenceUse = StoreTable(
    "evidence_use",
    "What each account, and each application, added to the ledger on its latest day; days are counted since 1970.",
    since: SchemaSince(11, 1), [.accountKey, .integer("day", "bytes")], [.key("realm_key", "name_key")],
    isItsIndex: true, TableIndex("evidence_use_by_day", "day", since: SchemaSince(25, 10)))

  static let suspendedJourneys = StoreTable(
    "suspended_journeys", "Journeys that wait for their link, by SHA-256 of the link's id.",
    since: SchemaSince(19, 5),
    [
      .key("realm_key", "id_hash"), .sealed(as: "suspended journey ", "id_hash"),
      .moment("created_at", "expires_at"),
    ],
    [.key("realm_key", "id_hash")], isItsIndex: true,
    TableIndex("suspended_journeys_by_expiry", "expires_at"))

  static let journeyAttempts = StoreTable(
    "journey_attempts", "Recent runs of journeys; a run has a row for each of its pauses.",
    since: SchemaSince(22, 7),
    [
      .key("realm_key", "run_id", "part"), .key("name_key").optional, .text("journey", "state"),
      .json("steps"), .text("reason").optional, .moment("started_at", "latest_at", "expires_at"),
      .text("client_address").optional.since(23, 8),
    ], [.key("realm_key", "run_id", "part")],
    TableIndex("journey_attempts_by_account", "realm_key, name_key, latest_at"),
    TableIndex("journey_attempts_by_time", "realm_key, latest_at"),
    TableIndex("journey_attempts_by_expiry", "expires_at"))

  static let activityCounts = StoreTable(
    "activity_counts",
    "What happened, counted by minute and hour: `period` is the beginning of `grain` seconds.",
    since: SchemaSince(22, 7),
    [
      .key("realm_key", "series"), .integer("grain", "period"), .key("label"), .integer("amount"),
      .moment("expires_at"),
    ], [.key("realm_key", "series", "grain", "period", "label")], isItsIndex: true,
    TableIndex("activity_counts_by_expiry", "expires_at"))

  static let serverSecrets = StoreTable(
    "server_secrets", "Secrets of the servers, such as the ledger's private key.",
    [.key("name"), .sealed(as: "", "name")],
    [.key("name")], isItsIndex: true)

  static let serverKeys = StoreTable(
    "server_keys", "Which keys encrypt; the keys themselves are elsewhere.", since: SchemaSince(17, 3),
    [
      .key("id"), .integer("generation"), .moment("announced_at"),
      .moment("activated_at", "retired_at", "revoked_at").optional,
    ], [.key("id"), .unique("generation")])

  static let serverKeyHolders = StoreTable(
    "server_key_holders", "Which servers have which keys.", since: SchemaSince(17, 3),
    [.key("server"), .text("keys"), .text("uses").optional, .moment("seen_at")], [.key("server")])
}
