internal import JourneyStore

/// PostgreSQL's tables (``StoreTable``), as a list of migrations.
///
/// A migration first expands: it adds tables, and columns with defaults, so that servers of the version before keep running beside it. A
/// later version's migration removes what nobody reads any more, and then raises `oldest`.
enum PostgresSchema {
  static let schema = TableSchema(
    .postgres,
    [
      .init("tables", always: ["INSERT INTO realm_version (id, version) VALUES (1, 0)"]),
      // Lanes are unused until a server has `--ledger-lanes`. Then ``PostgresOpening`` keeps older servers out, which would take the
      // entries of other lanes for forgeries.
      .init("lanes and retention of the ledger"), .init("server keys"), .init("identities"),
      .init("suspended journeys"), .init("grants"), .init("activity"), .init("places of sign-ins"),
      .init("no seals of retired keys, kept evidence", always: guards),
      // Records that servers of earlier versions have written, or still write, have no account id. When they are read, they count as
      // records of the account that has the name, unless they are older than it. So no row is written again.
      .init("ids of accounts"), .init("SSH authorities"),
    ])

  static var migrations: [TableSchema.Migration] { schema.migrations }

  /// The version that this program has: the number of its migrations.
  static var version: Int { migrations.count }

  static var tableNames: [String] { schema.tableNames }

  /// The table with the version of the schema. Its row is locked while tables are changed.
  static let versionTable = [
    """
    CREATE TABLE IF NOT EXISTS sealring_schema (
      id bigint NOT NULL PRIMARY KEY CHECK (id = 1),
      version bigint NOT NULL,
      oldest bigint NOT NULL -- of servers that can use the tables
    )
    """,
    // An existing row is not inserted again: that would wait, without a message, for a server that is changing it.
    "INSERT INTO sealring_schema (id, version, oldest) SELECT 1, 0, 1 WHERE NOT EXISTS (SELECT 1 FROM sealring_schema) ON CONFLICT DO NOTHING",
  ]
}
