internal import Concurrency
package import Foundation
internal import JourneyStore

/// Looks at the PostgreSQL of servers without changing anything; they may run.
package enum PostgresInspection {
  /// What one look found.
  package struct Finding: Sendable {
    package enum State: Sendable { case ok, warning, failed, absent }

    /// For programs, and for people.
    package let (id, name): (String, String)
    package let state: State
    package let text: String
    /// What to do; there is one for everything that is not well.
    package let advice: String?

    init(_ id: String, _ name: String, _ state: State, _ text: String, _ advice: String? = nil) {
      (self.id, self.name, self.state, self.text, self.advice) = (id, name, state, text, advice)
    }
  }

  /// Differences up to this are no reason to worry; beyond `harmful`, signatures are refused. Seconds.
  private static let (exactness, harmful): (TimeInterval, TimeInterval) = (2, 60)

  /// Everything that a server depends on. Without a connection there is one finding, which says why.
  ///
  /// - Parameters:
  ///   - address: what `--database` says.
  ///   - directory: of `server.key`.
  ///   - environment: libpq reads some options from there.
  package static func findings(
    _ address: String, directory: URL,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    now: @Sendable () -> Date = { Date() }
  ) async -> [Finding] {
    let place = PostgresLink.place(address)
    do {
      let connection = try await PostgresConnection.open(
        address, patience: PostgresLimits().patience, try LibPQ(), roundTrips: Locked(0))
      defer { connection.end() }
      let snapshot = PostgresSnapshot(
        transaction: PostgresTransaction(connection, prepares: false, patience: PostgresSnapshot.patience))
      snapshot.transaction.later(
        Statement(literal: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
      let sent = now()
      let server = try await Server(snapshot.transaction)
      let middle = sent.addingTimeInterval(now().timeIntervalSince(sent) / 2)
      let facts = await connection.facts()
      var findings = [Finding("database", "database", .ok, "\(place) answers")]
      findings.append(tls(address, usesTLS: facts.usesTLS, isLocal: server.isLocal, environment))
      findings += server.findings
      findings.append(pool(server, process: facts.process))
      findings.append(clock(server.time.timeIntervalSince(middle)))
      findings += try await tables(snapshot, place: place, directory: directory)
      return findings
    } catch {
      let error = StoreError.translating(error, place: place, subject: "")
      return [
        Finding(
          "database", "database", .failed, "\(error)",
          "Check --database, that PostgreSQL runs, and that this machine and user may connect to it.")
      ]
    }
  }

  /// For commands that change what servers keep, and must not make a database of servers out of another one.
  ///
  /// - Throws: ``StoreError`` when the database has no tables of Sealring, or `server.key` of the folder is not theirs.
  package static func requireServer(_ address: String, directory: URL) async throws {
    try await PostgresSnapshot.read(address) { snapshot in
      _ = try await snapshot.schemaVersion()
      _ = try await snapshot.key(in: directory)
    }
  }

  // MARK: The way to it

  static func tls(
    _ address: String, usesTLS: Bool, isLocal: Bool, _ environment: [String: String]
  ) -> Finding {
    let (id, name) = ("databaseTLS", "TLS to the database")
    guard usesTLS else {
      return isLocal
        ? Finding(id, name, .ok, "not needed: the connection stays on this machine")
        : Finding(
          id, name, .failed, "the connection is not encrypted",
          "Add sslmode=verify-full and sslrootcert=FILE to --database; without TLS anyone on the network can read and change everything."
        )
    }
    let mode = sslMode(of: address) ?? environment["PGSSLMODE"] ?? "prefer"
    return mode == "verify-full"
      ? Finding(id, name, .ok, "encrypted, and the server's certificate is checked (verify-full)")
      : Finding(
        id, name, .warning, "encrypted, but sslmode is \(mode)",
        "Add sslmode=verify-full and sslrootcert=FILE to --database: otherwise anyone in between can pass for the database."
      )
  }

  /// The option of an address in either form.
  private static func sslMode(of address: String) -> String? {
    address.split(whereSeparator: { "?& ".contains($0) }).compactMap { option in
      let parts = option.split(separator: "=", maxSplits: 1)
      return parts.count == 2 && parts[0] == "sslmode" ? String(parts[1].filter { $0 != "'" }) : nil
    }.last
  }

  /// A pooler says that it is another process than the one that answers.
  private static func pool(_ server: Server, process: Int) -> Finding {
    let (id, name) = ("databaseConnections", "connections to the database")
    let way = process == server.process ? "direct" : "through a pooler"
    let most = PostgresLimits().connections
    let text =
      "\(way); \(server.connections) of \(server.mostConnections) in use, and each server takes up to \(most)"
    return server.connections + most > server.mostConnections
      ? Finding(
        id, name, .warning, text,
        "Raise max_connections, or put PgBouncer in transaction mode between: a request that gets no connection fails."
      )
      : Finding(id, name, .ok, text)
  }

  static func clock(_ difference: TimeInterval) -> Finding {
    let (id, name) = ("databaseClock", "clock of the database")
    guard abs(difference) > exactness else { return Finding(id, name, .ok, "the same as here") }
    let seconds = Int(abs(difference).rounded())
    let text = "it is \(seconds) seconds \(difference > 0 ? "ahead of" : "behind") the clock here"
    let advice = "Synchronise both machines' clocks, for example with systemd-timesyncd."
    // Decisions use the servers' clocks; of the database's there is only the order of what was added.
    return Finding(id, name, abs(difference) >= harmful ? .failed : .warning, text, advice)
  }

  // MARK: What is in it

  private static func tables(
    _ snapshot: PostgresSnapshot, place: String, directory: URL
  ) async throws -> [Finding] {
    let (id, name) = ("databaseSchema", "tables")
    let transaction = snapshot.transaction
    let isThere = try await transaction.run("SELECT to_regclass('sealring_schema') IS NOT NULL").flag()
    let known =
      isThere
      ? try await transaction.all(
        "sealring_schema", "SELECT version, oldest FROM sealring_schema WHERE id = 1", []
      ) { (version: try $0.integer("version"), oldest: try $0.integer("oldest")) }.first : nil
    guard let known, known.version > 0 else {
      return [Finding(id, name, .absent, "none yet: the first server that starts makes them")]
    }
    var findings: [Finding] = []
    let own = PostgresSchema.version
    if known.oldest > own {
      findings.append(
        Finding(
          id, name, .failed,
          "of a newer version (\(known.version), needs at least \(known.oldest); here \(own))",
          "Run the newer version; this one does not start on them."))
    } else if known.version < own {
      findings.append(
        Finding(
          id, name, .warning, "of an older version (\(known.version); here \(own))",
          "Back up; the next server of this version that starts brings them up to date."))
    } else {
      findings.append(Finding(id, name, .ok, "version \(known.version)"))
    }
    for table in PostgresSchema.tableNames
    where try await !transaction.run("SELECT to_regclass(?::text) IS NOT NULL", [table]).flag() {
      findings.append(
        Finding(id, name, .failed, "there is no table \(table)", "Restore the database from a backup."))
    }
    guard !findings.contains(where: { $0.state == .failed }) else { return findings }
    return findings + (try await secrets(snapshot, directory: directory))
  }

  private static func secrets(_ snapshot: PostgresSnapshot, directory: URL) async throws -> [Finding] {
    let key: ServerKey
    do { key = try await snapshot.key(in: directory) } catch let error as StoreError {
      return [
        Finding(
          "databaseKey", "server key", .failed, "\(error)",
          "Copy server.key from another server of this database, or from a backup of it.")
      ]
    }
    var findings = [
      Finding(
        "databaseKey", "server key", .ok, "it belongs to the database; fingerprint \(try key.fingerprint)")
    ]
    let (id, name) = ("databaseLedger", "ledger")
    do {
      guard let ledger = try await snapshot.transaction.ledger(key: key) else {
        return findings + [Finding(id, name, .absent, "none yet: the first server that starts makes it")]
      }
      let heads = try ledger.heads([try await snapshot.transaction.run([EvidenceSQL.heads])[0]])
      findings.append(
        Finding(
          id, name, .ok,
          heads.count == 1 ? "it ends as it was sealed" : "all \(heads.count) lanes end as they were sealed"))
    } catch let error as StoreError {
      findings.append(
        Finding(
          id, name, .failed, "\(error)", "Keep the database for an investigation, and restore a backup."))
    }
    return findings
  }
}

/// What a PostgreSQL says of itself.
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
    let answers = try await transaction.run(
      [
        Statement(
          """
          SELECT pg_backend_pid()::bigint AS process, pg_is_in_recovery() AS replica,
            inet_client_addr() IS NULL OR inet_client_addr() <<= '127.0.0.0/8' OR inet_client_addr() = '::1' AS local,
            extract(epoch FROM clock_timestamp())::double precision AS time,
            (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections
          """)
      ] + Self.names.map { Statement("SELECT current_setting(?::text, true) AS value", [$0]) })
    let facts = try answers[0].all("pg_stat_activity") { row in
      (
        process: try row.integer("process"), replica: try row.flag("replica"), local: try row.flag("local"),
        time: try row.date("time"), connections: try row.integer("connections")
      )
    }.first
    guard let facts else { throw StoreError.unavailable("it does not say what it is") }
    (process, isReplica, isLocal, time, connections) = facts
    var settings: [String: String] = [:]
    for (name, answer) in zip(Self.names, answers.dropFirst()) {
      settings[name] = try answer.all("pg_settings") { try $0.optionalText("value") }.first ?? nil
    }
    self.settings = settings
    version = settings["server_version_num"].flatMap { Int($0) } ?? 0
    mostConnections =
      (settings["max_connections"].flatMap { Int($0) } ?? 0)
      - (settings["superuser_reserved_connections"].flatMap { Int($0) } ?? 0)
  }

  var findings: [PostgresInspection.Finding] { [software, encoding, durability, role] }

  private typealias Finding = PostgresInspection.Finding

  private var software: Finding {
    let text = settings["server_version"] ?? "unknown"
    return version >= 120_000
      ? Finding("databaseVersion", "version of the database", .ok, text)
      : Finding(
        "databaseVersion", "version of the database", .failed, text,
        "Upgrade PostgreSQL to version 12 or later.")
  }

  private var encoding: Finding {
    let text = settings["server_encoding"] ?? "unknown"
    return text.uppercased() == "UTF8"
      ? Finding("databaseEncoding", "encoding", .ok, text)
      : Finding(
        "databaseEncoding", "encoding", .failed, text,
        "Create a database with ENCODING 'UTF8', and restore a backup into it.")
  }

  private var durability: Finding {
    let (id, name) = ("databaseDurability", "durability")
    if settings["synchronous_commit"] == "off" {
      return Finding(
        id, name, .failed, "synchronous_commit is off: what was acknowledged may be lost",
        "Set it to on for this user or database; the server does not start without.")
    }
    for setting in ["fsync", "full_page_writes"] where settings[setting] == "off" {
      return Finding(
        id, name, .failed, "\(setting) is off: a crash of the machine may damage the database",
        "Set it to on; off is for tests only.")
    }
    let standbys = settings["synchronous_standby_names"] ?? ""
    let commit = settings["synchronous_commit"] ?? "on"
    if !standbys.isEmpty, commit == "local" {
      return Finding(
        id, name, .warning, "synchronous_commit is local, so commits do not wait for the standby",
        "Set it to on if what was acknowledged has to survive the primary's machine.")
    }
    return Finding(
      id, name, .ok,
      standbys.isEmpty
        ? "commits are on disk; no synchronous standby" : "commits are on disk and at a standby (\(commit))")
  }

  private var role: Finding {
    let (id, name) = ("databaseRole", "role of the database")
    if isReplica {
      return Finding(
        id, name, .failed, "it is a replica",
        "Name the primary, or several hosts with target_session_attrs=read-write. A replica will do for backups and exports."
      )
    }
    return settings["default_transaction_read_only"] == "on"
      ? Finding(
        id, name, .failed, "it is read-only",
        "Set default_transaction_read_only to off for this user or database.")
      : Finding(id, name, .ok, "primary, takes writes")
  }
}
