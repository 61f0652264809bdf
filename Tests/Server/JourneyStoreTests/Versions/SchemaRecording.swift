import CommonFixtures
import Foundation
import JourneyStore
import PostgresFixtures
import StrictJSON

@testable import JourneyStorePostgres

/// The tables of one version of the schema, and the statements that servers of that version send, with what became of each.
struct SchemaRecording {
  let version: Int

  /// A script that makes the tables in an empty database.
  let tables: String

  /// A script with every statement, prepared as the servers do.
  let statements: String

  /// What psql says of each statement, such as `UPDATE 1` and `(2 rows)`.
  let outcomes: [String]

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "SchemaVersions")
  private static let parts = ["-- Tables", "-- Statements", "-- Outcomes"].map { "\($0)\n" }

  /// The one that is kept of a version; `nil` without one.
  init?(version: Int) throws {
    guard Self.isKept(of: version) else { return nil }
    let file = Self.file(version)
    let text = try String(contentsOf: file, encoding: .utf8)
    let parts = Self.parts.compactMap { text.range(of: "\n\($0)") }
    guard parts.count == 3 else { throw Difference("\(file.path()) does not have three parts") }
    self.version = version
    tables = String(text[parts[0].upperBound..<parts[1].lowerBound])
    statements = String(text[parts[1].upperBound..<parts[2].lowerBound])
    outcomes = text[parts[2].upperBound...].split(separator: "\n").map { String($0.dropFirst("-- ".count)) }
  }

  private init(version: Int, tables: String, statements: String, outcomes: [String]) {
    self.version = version
    self.tables = tables
    self.statements = statements
    self.outcomes = outcomes
  }

  static func isKept(of version: Int) -> Bool {
    FileManager.default.fileExists(atPath: file(version).path())
  }

  private static func file(_ version: Int) -> URL { folder.appending(path: "\(version).sql") }

  /// Writes it to its file, whose path it returns.
  func keep() throws -> String {
    try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
    let file = Self.file(version)
    let text = """
      -- Version \(version) of the schema: its tables, the statements that its servers send, and what becomes of each.
      -- Recorded by SchemaVersionTests; see docs/scale.md.

      \(Self.parts[0])\(tables)
      \(Self.parts[1])\(statements)
      \(Self.parts[2])\(outcomes.map { "-- \($0)\n" }.joined())
      """
    try text.write(to: file, atomically: true, encoding: .utf8)
    return file.path()
  }

  // MARK: Replaying

  struct Difference: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Whether each statement says by name which columns it wants. PostgreSQL refuses to carry on with one that was prepared before its
  /// answer got another column.
  var namesColumns: Bool { statements.firstMatch(of: /(?:SELECT|RETURNING)\s+(?:\w+\.)?\*/) == nil }

  /// Carries out the statements.
  ///
  /// - Parameter changes: what is done to the tables after all statements were prepared, and before the first one is carried out, in
  ///   one session, as a running server has it; `nil` prepares each when it comes.
  /// - Throws: ``Difference`` when one fails, or does something else than it did.
  func replay(on database: String, of server: PostgresServer, preparedBefore changes: [String]? = nil)
    async throws
  {
    let script = try changes.map { try preparedFirst(then: $0) } ?? statements
    let found = try await Self.outcomes(of: script, on: database, of: server)
    guard found.count == outcomes.count, let index = found.indices.first(where: { found[$0] != outcomes[$0] })
    else {
      if found.count != outcomes.count {
        throw Difference("\(found.count) outcomes instead of \(outcomes.count)")
      }
      return
    }
    throw Difference("outcome \(index + 1) is \(found[index]) instead of \(outcomes[index])")
  }

  private func preparedFirst(then changes: [String]) throws -> String {
    var preparations: [String] = []
    var executions: [String] = []
    for (number, piece) in statements.split(separator: ";\n").enumerated() {
      switch piece.prefix(while: \.isLetter) {
      case "PREPARE": preparations.append(String(piece))
      case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
        // Without values. A server prepares these, too.
        preparations.append("PREPARE plain\(number) AS\n\(piece)")
        executions.append("EXECUTE plain\(number)")
      case "EXECUTE", "BEGIN", "COMMIT", "ROLLBACK", "SET": executions.append(String(piece))
      default: throw Difference("no statement begins like this: \(piece.prefix(80))")
      }
    }
    return (preparations + ["BEGIN"]).map { "\($0)\n;\n" }.joined()
      + "\\set QUIET on\n" + (changes + ["COMMIT"]).map { "\($0)\n;\n" }.joined() + "\\set QUIET off\n"
      + executions.map { "\($0)\n;\n" }.joined()
  }

  private static func outcomes(
    of statements: String, on database: String, of server: PostgresServer
  ) async throws -> [String] {
    let (status, output) = try await server.script(statements, on: database)
    guard status == 0 else { throw Difference(String(output.suffix(2000))) }
    let outcome = /INSERT 0 \d+|UPDATE \d+|DELETE \d+|\(\d+ rows?\)/
    return output.split(separator: "\n").map(String.init).filter { $0.wholeMatch(of: outcome) != nil }
  }

  // MARK: Recording

  /// Records this version, by what a server of PostgreSQL logs of ``StoreTour``.
  static func make() async throws -> SchemaRecording {
    let settings = [
      "logging_collector=on", "log_destination=jsonlog", "log_filename=statements", "log_statement=all",
    ]
    let statements = try await PostgresServer.run(settings) { server in
      let (name, folder) = (try await server.newDatabase(), TemporaryFolder())
      defer { withExtendedLifetime(folder) {} }
      let store = try await PostgresStore.open(server.address(of: name), directory: folder.url)
      try await server.psql(name, "SELECT 'the tour begins'")
      try await StoreTour.go(through: store)
      try await server.psql(name, "SELECT 'the tour is over'")
      try await store.close()
      return try await script(of: server.log("statements.json", until: "the tour is over"))
    }
    let migrations = PostgresSchema.versionTable + PostgresSchema.migrations.flatMap(\.statements)
    let oldest = PostgresSchema.migrations.last?.oldest ?? 1
    let tables =
      (migrations + ["UPDATE sealring_schema SET version = \(PostgresSchema.version), oldest = \(oldest)"])
      // A statement may end in a comment.
      .map { "\($0)\n;\n" }.joined()
    let server = try await PostgresServer.shared
    let (name, folder) = (try await server.newDatabase(), TemporaryFolder())
    defer { withExtendedLifetime(folder) {} }
    try await PostgresStore.open(server.address(of: name), directory: folder.url).close()
    return SchemaRecording(
      version: PostgresSchema.version, tables: tables, statements: statements,
      outcomes: try await outcomes(of: statements, on: name, of: server))
  }

  /// The statements between the two marks of a log, as psql takes them.
  private static func script(of log: String) throws -> String {
    var script = ""
    var names: [String: Int] = [:]
    var isOnTour = false
    for line in log.split(separator: "\n") {
      let entry = try JSONValue(parsing: String(line))
      guard let message = entry["message"]?.stringValue else { continue }
      if message.contains("the tour begins") { isOnTour = true }
      if message.contains("the tour is over") { break }
      let execution = /execute (\w+): ((?s).*)/
      guard isOnTour, let match = message.wholeMatch(of: execution) else { continue }
      let (name, sql) = (String(match.1), String(match.2))
      guard let form = StatementForm.named(name) else {
        throw Difference("nobody knows the statement \(name): \(sql)")
      }
      guard !form.types.isEmpty else {
        script += "\(sql);\n"
        continue
      }
      if names[name] == nil {
        names[name] = names.count + 1
        let types = try form.types.map(typeName).joined(separator: ", ")
        script += "PREPARE s\(names.count) (\(types)) AS\n\(sql);\n"
      }
      let values = try literals(in: entry["detail"]?.stringValue ?? "")
      script += "EXECUTE s\(names[name] ?? 0) (\(values.joined(separator: ", ")));\n"
    }
    return script
  }

  private static func typeName(_ number: UInt32) throws -> String {
    let names: [UInt32: String] = [
      16: "boolean", 17: "bytea", 20: "bigint", 25: "text", 701: "double precision",
    ]
    guard let name = names[number] else { throw Difference("a type without a name: \(number)") }
    return name
  }

  /// The values of `parameters: $1 = 'text', $2 = NULL`.
  private static func literals(in detail: String) throws -> [String] {
    let value = /\$\d+ = (NULL|'(?:[^']|'')*')(?:, )?/
    return detail.matches(of: value).map { String($0.1) }
  }
}
