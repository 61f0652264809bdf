internal import Concurrency
package import Foundation
internal import JourneyStore

/// Inspects the PostgreSQL database of servers without changing anything; the servers may run.
package enum PostgresInspection {
  /// The result of one check.
  package struct Finding: Sendable {
    package enum State: Sendable { case ok, warning, failed, absent }

    /// The name of the check, for programs.
    package let id: String
    package let state: State

    /// The name of the text for people; where something is wrong, the texts also say what to do.
    package let text: String

    /// The values in the text.
    package let values: [String: String]

    init(_ id: String, _ state: State, _ text: String, _ values: [String: String] = [:]) {
      (self.id, self.state, self.text, self.values) = (id, state, text, values)
    }

    /// - Parameter isWell: decides which of the two texts is used.
    init(
      _ id: String, _ isWell: Bool, _ text: String, else other: String, as state: State = .failed,
      _ values: [String: String] = [:]
    ) {
      self.init(id, isWell ? .ok : state, isWell ? text : other, values)
    }
  }

  /// Differences of clocks up to `exactness` are harmless; from `harmful` on, signatures are refused. Seconds.
  private static let (exactness, harmful): (TimeInterval, TimeInterval) = (2, 60)

  /// Checks everything that a server depends on. Without a connection there is one finding, which has the reason.
  ///
  /// - Parameters:
  ///   - address: the value of `--database`.
  ///   - directory: the folder of `server.key`.
  ///   - environment: libpq reads some options from there.
  package static func findings(
    _ address: String, directory: URL,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    now: @Sendable () -> Date = { Date() }
  ) async -> [Finding] {
    let place = PostgresPool.place(address)
    do {
      return try await PostgresTransaction.read(address) { transaction in
        let sent = now()
        let server = try await Server(transaction)
        let middle = sent.addingTimeInterval(now().timeIntervalSince(sent) / 2)
        let facts = await transaction.connection.facts()
        return [
          Finding("database", .ok, "checks.databaseAnswers", ["place": place]),
          tls(address, usesTLS: facts.usesTLS, isLocal: server.isLocal, environment),
        ] + server.findings + [
          pool(server, process: facts.process), clock(server.time.timeIntervalSince(middle)),
        ] + (try await tables(transaction, directory: directory))
      }
    } catch {
      return [Finding("database", .failed, "checks.databaseUnreachable", ["reason": "\(error)"])]
    }
  }

  /// Checks a database for commands that change what servers keep, and that must not turn another database into one of servers.
  ///
  /// - Throws: ``StoreError`` when the database has no tables of Sealring, or `server.key` of the folder is not theirs.
  package static func requireServer(_ address: String, directory: URL) async throws {
    try await PostgresTransaction.read(address) { transaction in
      _ = try await transaction.schemaVersion()
      _ = try await transaction.key(in: directory)
    }
  }

  // MARK: The way to it

  static func tls(
    _ address: String, usesTLS: Bool, isLocal: Bool, _ environment: [String: String]
  ) -> Finding {
    let id = "databaseTLS"
    guard usesTLS else {
      return Finding(id, isLocal, "checks.databaseTLSLocal", else: "checks.databaseTLSOff")
    }
    let mode = sslMode(of: address) ?? environment["PGSSLMODE"] ?? "prefer"
    return mode == "verify-full"
      ? Finding(id, .ok, "checks.databaseTLSChecked")
      : Finding(id, .warning, "checks.databaseTLSUnchecked", ["mode": mode])
  }

  /// The option of an address in either form.
  private static func sslMode(of address: String) -> String? {
    address.split(whereSeparator: { "?& ".contains($0) }).compactMap { option in
      let parts = option.split(separator: "=", maxSplits: 1)
      return parts.count == 2 && parts[0] == "sslmode" ? String(parts[1].filter { $0 != "'" }) : nil
    }.last
  }

  /// Checks the number of connections. A pooler reports another process than the one that answers.
  private static func pool(_ server: Server, process: Int) -> Finding {
    let isDirect = process == server.process
    let own = PostgresLimits().connections
    return Finding(
      "databaseConnections", server.connections + own <= server.mostConnections,
      isDirect ? "checks.databaseDirect" : "checks.databasePooled",
      else: isDirect ? "checks.databaseDirectScarce" : "checks.databasePooledScarce", as: .warning,
      ["used": String(server.connections), "most": String(server.mostConnections), "own": String(own)])
  }

  static func clock(_ difference: TimeInterval) -> Finding {
    let id = "databaseClock"
    guard abs(difference) > exactness else { return Finding(id, .ok, "checks.databaseClockSame") }
    // Decisions use the servers' clocks; the database's clock only orders what was added.
    return Finding(
      id, abs(difference) >= harmful ? .failed : .warning,
      difference > 0 ? "checks.databaseClockAhead" : "checks.databaseClockBehind",
      ["seconds": String(Int(abs(difference).rounded()))])
  }

  // MARK: What is in it

  private static func tables(
    _ transaction: PostgresTransaction, directory: URL
  ) async throws -> [Finding] {
    let id = "databaseSchema"
    guard let known = try await transaction.schema() else {
      return [Finding(id, .absent, "checks.tablesNone")]
    }
    let (version, own) = (String(known.version), PostgresSchema.version)
    let isNewer = known.oldest > own
    let schema =
      isNewer
      ? Finding(
        id, .failed, "checks.tablesNewer",
        ["version": version, "oldest": String(known.oldest), "own": String(own)])
      : known.version < own
        ? Finding(id, .warning, "checks.tablesOlder", ["version": version, "own": String(own)])
        : Finding(id, .ok, "checks.tables", ["version": version])
    let missing = try await transaction.missingTables()
    let findings =
      [schema] + missing.map { Finding(id, .failed, "checks.tableMissing", ["table": $0]) }
    guard !isNewer, missing.isEmpty else { return findings }
    return findings + (try await secrets(transaction, directory: directory))
  }

  private static func secrets(_ transaction: PostgresTransaction, directory: URL) async throws -> [Finding] {
    let key: ServerKey
    do { key = try await transaction.key(in: directory) } catch let error as StoreError {
      return [Finding("databaseKey", .failed, "checks.databaseKeyWrong", ["reason": "\(error)"])]
    }
    let right = Finding("databaseKey", .ok, "checks.databaseKeyRight", ["fingerprint": try key.fingerprint])
    return [right, try await ledger(transaction, key, LedgerMark(folder: StoreDirectory(directory)))]
  }

  private static func ledger(
    _ transaction: PostgresTransaction, _ key: ServerKey, _ mark: LedgerMark
  ) async throws -> Finding {
    let id = "databaseLedger"
    do {
      let known = try await transaction.ask(EvidenceSQL.ledger(key))
      try mark.check(known?.fingerprint, key)
      guard let ledger = known else {
        guard try await !transaction.ask(LedgerMark.hasContent) else { throw LedgerMark.isMissing }
        return Finding(id, .absent, "checks.ledgerNone")
      }
      let heads = try await transaction.ask(EvidenceSQL.heads(of: ledger))
      return heads.count == 1
        ? Finding(id, .ok, "checks.ledgerWhole")
        : Finding(id, .ok, "checks.ledgerLanesWhole", ["count": String(heads.count)])
    } catch let error as StoreError {
      return Finding(id, .failed, "checks.ledgerBroken", ["reason": "\(error)"])
    }
  }
}

/// What a PostgreSQL server says about itself.
private struct Server {
  let process: Int
  let isLocal: Bool
  let time: Date
  let connections: Int
  let mostConnections: Int
  private let isReplica: Bool
  private let version: Int
  private let settings: [String: String]

  private static let names = [
    "server_version_num", "server_version", "server_encoding", "synchronous_commit", "fsync",
    "full_page_writes",
    "default_transaction_read_only", "synchronous_standby_names", "max_connections",
    "superuser_reserved_connections",
  ]

  init(_ transaction: PostgresTransaction) async throws {
    let question = SQLStatement(
      """
      SELECT pg_backend_pid()::bigint AS process, pg_is_in_recovery() AS replica,
        inet_client_addr() IS NULL OR inet_client_addr() <<= '127.0.0.0/8' OR inet_client_addr() = '::1' AS local,
        extract(epoch FROM clock_timestamp())::double precision AS time,
        (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections
      """
    ).row(of: "pg_stat_activity") { row in
      try (
        row.integer("process"), row.flag("replica"), row.flag("local"), row.date("time"),
        row.integer("connections")
      )
    }
    let (facts, settings) = try await transaction.ask(.all(question, .settings(Self.names)))
    guard let facts else { throw StoreError.unavailable("it does not say what it is") }
    (process, isReplica, isLocal, time, connections) = facts
    self.settings = settings
    func number(_ name: String) -> Int { settings[name].flatMap { Int($0) } ?? 0 }
    version = number("server_version_num")
    mostConnections = number("max_connections") - number("superuser_reserved_connections")
  }

  private typealias Finding = PostgresInspection.Finding

  var findings: [PostgresInspection.Finding] {
    let encoding = settings["server_encoding"] ?? "?"
    return [
      Finding(
        "databaseVersion", version >= 120_000, "checks.software", else: "checks.softwareOld",
        ["version": settings["server_version"] ?? "?"]),
      Finding(
        "databaseEncoding", encoding.uppercased() == "UTF8", "checks.encoding", else: "checks.encodingWrong",
        ["encoding": encoding]), durability,
      isReplica
        ? Finding("databaseRole", .failed, "checks.replica")
        : Finding(
          "databaseRole", settings["default_transaction_read_only"] != "on", "checks.primary",
          else: "checks.readOnly"),
    ]
  }

  private var durability: Finding {
    let id = "databaseDurability"
    if settings["synchronous_commit"] == "off" { return Finding(id, .failed, "checks.commitOff") }
    for setting in ["fsync", "full_page_writes"] where settings[setting] == "off" {
      return Finding(id, .failed, "checks.writesOff", ["setting": setting])
    }
    let commit = settings["synchronous_commit"] ?? "on"
    if settings["synchronous_standby_names"] ?? "" == "" { return Finding(id, .ok, "checks.commitDisk") }
    return commit == "local"
      ? Finding(id, .warning, "checks.commitLocal")
      : Finding(id, .ok, "checks.commitStandby", ["commit": commit])
  }
}
