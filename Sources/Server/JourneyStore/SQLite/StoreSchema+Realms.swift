extension StoreSchema {
  /// Realms beside the configured ones. A deleted realm keeps its row, so that requests that were under way add nothing to it.
  static let realms = """
    CREATE TABLE realms (
      realm_key TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      created_at REAL NOT NULL,
      deleted_at REAL
    ) STRICT;
    CREATE TABLE realm_version (
      id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
      version INTEGER NOT NULL -- grows with every change of realms
    ) STRICT;
    INSERT INTO realm_version (id, version) VALUES (1, 0);
    """
}
