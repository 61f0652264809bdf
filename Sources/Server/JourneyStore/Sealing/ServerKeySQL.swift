/// Statements about the keys of a database.
package enum ServerKeySQL {
  /// The keys of a database, the first one first.
  package static let entries = SQLStatement(
    "SELECT \(StoreTable.serverKeys.readColumns) FROM server_keys ORDER BY generation"
  ).rows(of: "server_keys") { try ServerKeyEntry($0) }

  /// ?1 the id of the key that a database from before rotation uses. The first server to register decides.
  package static let register: SQL = """
    INSERT INTO server_keys (id, generation, announced_at, activated_at)
    SELECT ?1, 0, 0, 0 WHERE NOT EXISTS (SELECT 1 FROM server_keys) ON CONFLICT DO NOTHING
    """

  /// The secret that is stored under a name, still sealed; `nil` when there is none.
  package static func sealedSecret(_ name: String) -> SQLQuestion<[UInt8]?> {
    SQLStatement("SELECT sealed FROM server_secrets WHERE name = ?", [name])
      .row(of: "server_secrets") { try $0.bytes() }
  }

  static let addSecret: SQL =
    "INSERT INTO server_secrets (name, sealed) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
}

// MARK: Tables with a column `sealed`

extension StoreTable {
  /// The tables with secrets that are encrypted under a server key. Their key columns are text.
  static let sealed = all.filter { $0.secret != nil }

  /// The parts of the name of a row's secret: words, and the column whose value ends the name.
  private var secret: (words: String, subject: String)? { columns.lazy.compactMap(\.secret).first }

  struct SealedRow: Sendable {
    let key: [String]
    let secretName: String
    let sealed: [UInt8]
  }

  func sealedRow(_ row: StoredRow) throws -> SealedRow {
    try SealedRow(
      key: key.map { try row.text($0) },
      secretName: secretName(secret.map { try row.text($0.subject) } ?? ""), sealed: row.bytes("sealed"))
  }

  private static let start = "substr(sealed, 1, \(LoadedServerKey.prefixCount))"

  /// Rows that neither of two keys has encrypted, after the row of key `last`, in the order of their keys.
  func page(after last: [String]?, besides prefixes: (one: [UInt8], other: [UInt8]), limit: Int)
    -> SQLStatement
  {
    let columns = key.joined(separator: ", ")
    let places = key.map { _ in "?" }.joined(separator: ", ")
    let subject = [secret?.subject].compactMap(\.self).filter { !key.contains($0) }
    let selected = (key + subject).joined(separator: ", ")
    return SQLStatement(
      """
      SELECT \(selected), sealed FROM \(name) WHERE \(Self.start) <> ? AND \(Self.start) <> ?
        \(last == nil ? "" : "AND (\(columns)) > (\(places))") ORDER BY \(columns) LIMIT ?
      """,
      [prefixes.one, prefixes.other] + StatementValues((last ?? []).map(StoredValue.text)) + [limit])
  }

  /// Changes the row only if nobody has changed it since.
  func update(_ row: SealedRow, to sealed: [UInt8]) -> SQLStatement {
    let condition = key.map { "\($0) = ?" }.joined(separator: " AND ")
    return SQLStatement(
      "UPDATE \(name) SET sealed = ? WHERE \(condition) AND sealed = ?",
      [sealed] + StatementValues(row.key.map(StoredValue.text)) + [row.sealed])
  }

  /// Counts the rows whose secret begins with `prefix`.
  func countUnder(_ prefix: [UInt8]) -> SQLStatement {
    SQLStatement("SELECT count(*) FROM \(name) WHERE \(Self.start) = ?", [prefix])
  }

  /// Counts the rows whose secret begins with none of `prefixes`.
  func count(besides prefixes: [[UInt8]]) -> SQLStatement {
    let conditions = prefixes.map { _ in " AND \(Self.start) <> ?" }.joined()
    return SQLStatement(
      "SELECT count(*) FROM \(name) WHERE true\(conditions)",
      StatementValues(prefixes.map(StoredValue.bytes)))
  }

  /// The name under which a row's secret is sealed, so that the secrets of two rows cannot be exchanged.
  private func secretName(_ subject: String) -> String {
    (secret?.words ?? "") + subject
  }

  /// Encrypts the secret of a row.
  ///
  /// - Parameter subject: the row's value in the column that ends the name.
  func seal(_ secret: [UInt8], of subject: String, _ serverKey: ServerKey) throws -> [UInt8] {
    try serverKey.seal(secret, named: secretName(subject))
  }

  /// Decrypts the secret of a row that was read.
  func open(_ row: StoredRow, of subject: String, _ serverKey: ServerKey) throws -> [UInt8] {
    try serverKey.open(try row.bytes("sealed"), named: secretName(subject), in: name)
  }
}
