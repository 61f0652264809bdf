import BenchmarkReport
import BenchmarkServer
import Foundation

/// Sign-ins by password on PostgreSQL with one and with two server processes, beside pgbench, PostgreSQL's own program of plain
/// libpq, which sends the same statements in the same round trips and does nothing else.
///
/// Beside rate and latency it says who used the processors, so that one sees where the limit is.
struct PostgresBench {
  private let cluster: PostgresCluster
  private let seconds: Int
  private let connections: Int

  /// How many processors each server may use; `nil` for all.
  private let serverProcessors: Double?

  /// Whether devices sign in by their bound keys, instead of people by passwords.
  private let byBoundKey: Bool

  /// Enough that an account's sessions stay few.
  private static let people = 20_000
  private static let database = "bench"

  init(
    cluster: URL, programs: URL, seconds: Int, connections: Int, serverProcessors: Double?, byBoundKey: Bool
  ) {
    self.byBoundKey = byBoundKey
    self.cluster = PostgresCluster(folder: cluster, programs: programs)
    self.seconds = seconds
    self.connections = connections
    self.serverProcessors = serverProcessors
  }

  func run(rounds: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "signin-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try cluster.psql("postgres", "CREATE DATABASE \(Self.database)")
    try cluster.address(of: Self.database).write(
      to: folder.appending(path: PostgresServerRole.address), atomically: true, encoding: .utf8)
    let fleet = Fleet(count: connections)
    if byBoundKey { try fleet.write(to: folder.appending(path: "fleet.json")) }
    // The bare program's entries are in no chain, which a server would refuse to continue: it has tables of its own.
    let bareDatabase = byBoundKey ? "bare" : Self.database
    if byBoundKey { try makeTables(in: bareDatabase, for: fleet) }
    let first = try server("first", folder)
    defer { first.stop() }
    if !byBoundKey { try addPeople() }
    let second = try server("second", folder)
    defer { second.stop() }
    let script = folder.appending(path: "sign-in.sql")
    try (byBoundKey ? Self.bareProof : Self.bareSignIn(people: Self.people))
      .write(to: script, atomically: true, encoding: .utf8)
    let dialogue: any Dialogue =
      byBoundKey ? SealringDialogue() : PasswordDialogue(people: Self.people)

    var results: [String: [Usage]] = [:]
    func measure(_ name: String, _ body: () async throws -> Round) async throws {
      let database = name == "bare" ? bareDatabase : Self.database
      results[name, default: []].append(try await cluster.usage(during: body, of: database))
    }
    // The first round warms up and does not count.
    for round in 0...rounds {
      if round == 1 { results = [:] }
      try await measure("bare") {
        try cluster.pgbench(script, bareDatabase, connections: connections, seconds: seconds, folder)
      }
      try await measure("one-server") {
        try await Load.run(dialogue, on: first, fleet: fleet, seconds: seconds)
      }
      try await measure("two-servers") {
        try await Load.run(dialogue, on: first, second, fleet: fleet, seconds: seconds)
      }
    }
    for name in ["bare", "one-server", "two-servers"] { report(name, results[name] ?? []) }
    for (name, base) in [("one-server", "bare"), ("two-servers", "bare"), ("two-servers", "one-server")] {
      let pairs = zip(results[name] ?? [], results[base] ?? [])
      emit("\(name)-rate-of-\(base)", pairs.map { $0.round.rate / $1.round.rate }.median, "ratio")
    }
  }

  private func server(_ name: String, _ folder: URL) throws -> ServerChild {
    let limit = try serverProcessors.map {
      try ProcessorLimit($0, name: "\(folder.lastPathComponent)-\(name)")
    }
    return try ServerChild(role: "postgres-server", folder: folder, limit: limit)
  }

  /// A database with a server's tables and the fleet's accounts, and no server.
  private func makeTables(in database: String, for fleet: Fleet) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "signin-bench-\(UUID().uuidString)")
    try fleet.write(to: folder.appending(path: "fleet.json"))
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try cluster.psql("postgres", "CREATE DATABASE \(database)")
    try cluster.address(of: database).write(
      to: folder.appending(path: PostgresServerRole.address), atomically: true, encoding: .utf8)
    try ServerChild(role: "postgres-server", folder: folder).stop()
  }

  /// Copies of the one that the server has made.
  private func addPeople() throws {
    let columns = try cluster.psql(
      Self.database,
      "SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns WHERE table_name = 'users' "
        + "AND column_name NOT IN ('name_key', 'username', 'account_id')")
    _ = try cluster.psql(
      Self.database,
      "INSERT INTO users (name_key, username, account_id, \(columns)) SELECT 'user' || n, 'user' || n, 'id ' || n, "
        + "\(columns) FROM users, generate_series(1, \(Self.people - 1)) AS n WHERE name_key = 'user0'; ANALYZE"
    )
  }

  private func report(_ name: String, _ usages: [Usage]) {
    emit("\(name)-sign-ins", usages.map(\.round.rate).median, "sign-ins/s")
    emit("\(name)-p50", usages.map { $0.round.percentile(0.5) }.median, "ms")
    emit("\(name)-p99", usages.map { $0.round.percentile(0.99) }.median, "ms")
    emit("\(name)-round-trips", usages.map(\.transactions).median, "per sign-in")
    emit("\(name)-flushes", usages.map(\.flushes).median, "per sign-in")
    emit("\(name)-postgres-cpu", usages.map(\.postgresMicroseconds).median, "us")
    if name != "bare" { emit("\(name)-server-cpu", usages.map(\.round.serverMicroseconds).median, "us") }
    emit("\(name)-idle", usages.map(\.idle).median, "of the processors")
  }

  private func emit(_ name: String, _ value: Double, _ unit: String) {
    Measurement.emit("postgres-\(byBoundKey ? "device-" : "")\(name)", value, unit)
  }

  /// What a sign-in by bound key sends (`PostgresStore`), in its four round trips. Each connection signs in to an account of its own.
  /// The number of the entry comes from the statement itself, because a pipeline of pgbench cannot carry it from one to the next.
  private static let bareProof: String = {
    let account = "realm_key = 'alpha' AND name_key = 'user' || :client_id"
    let random = "sha256((:token)::text::bytea)"
    return """
      \\set token random(1, 1000000000000000)
      \\set other random(1, 1000000000000000)
      \\set now 1800000000
      \\startpipeline
      SELECT * FROM users WHERE \(account);
      SELECT consecutive_failures, lock_count, locked_until FROM lockouts WHERE \(account) AND device = '';
      SELECT * FROM bound_devices WHERE \(account);
      \\endpipeline
      \\startpipeline
      BEGIN ISOLATION LEVEL READ COMMITTED;
      SET LOCAL idle_in_transaction_session_timeout = 5000;
      SELECT true FROM users WHERE \(account) FOR NO KEY UPDATE;
      INSERT INTO consumed (key, expires_at) VALUES (\(random), :now + 360) ON CONFLICT DO NOTHING;
      UPDATE bound_devices SET last_access_date = greatest(last_access_date, :now) WHERE \(account);
      INSERT INTO consumed (key, expires_at) VALUES (sha256((:other)::text::bytea), :now + 3660) ON CONFLICT DO NOTHING;
      SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE;
      SELECT seal, number, hash FROM evidence_ledger LEFT JOIN evidence ON number = (SELECT max(number) FROM evidence);
      \\endpipeline
      \\startpipeline
      INSERT INTO evidence_use AS known (realm_key, name_key, day, bytes) VALUES ('alpha', 'user' || :client_id, 20000, 900)
        ON CONFLICT (realm_key, name_key) DO UPDATE SET bytes = 900, day = greatest(known.day, 20000);
      INSERT INTO evidence (number, realm_key, name_key, line, hash)
        SELECT coalesce(max(number), 0) + 1, 'alpha', 'user' || :client_id, repeat('e', 900), \(random) FROM evidence;
      UPDATE evidence_ledger SET seal = \(random) WHERE id = 1;
      INSERT INTO sessions (realm_key, name_key, realm, username, ends_at, token_hash, handle, created_at, latest_access,
        maximum_idle, expires_at, properties, auth_level, service, authenticated_at)
        SELECT realm_key, name_key, realm, username, :now + 1800, \(random), 'shandle:' || :token, :now,
        :now, 1800, :now + 7200, '{"AMCtxId":"0123456789abcdef"}', 0, 'SignIn', :now FROM users WHERE \(account) AND is_active
        FOR NO KEY UPDATE;
      DELETE FROM sessions WHERE token_hash IN (SELECT token_hash FROM sessions WHERE \(account)
        ORDER BY created_at DESC, added_at DESC OFFSET 100);
      SELECT * FROM users WHERE \(account);
      \\endpipeline
      COMMIT;
      """
  }()

  /// What a sign-in sends (`PostgresStore`), in its three round trips.
  private static func bareSignIn(people: Int) -> String {
    let account = "realm_key = 'alpha' AND name_key = 'user' || :person"
    return """
      \\set person random(0, \(people - 1))
      \\set token random(1, 1000000000000000)
      \\set now 1800000000
      \\startpipeline
      INSERT INTO consumed (key, expires_at) VALUES (sha256((:token)::text::bytea), :now + 360) ON CONFLICT DO NOTHING;
      SELECT * FROM users WHERE \(account);
      \\endpipeline
      SELECT place, kind, consecutive_failures, lock_count, locked_until FROM (SELECT CASE WHEN EXISTS (
        SELECT 1 FROM lockouts WHERE \(account) AND device = '') OR (SELECT count(DISTINCT device) FROM lockouts
        WHERE \(account) AND device != '') < 10 THEN '' ELSE '' END AS place) AS places
        LEFT JOIN lockouts ON \(account) AND device = place AND kind IN ('guesses', 'codes');
      \\startpipeline
      INSERT INTO sessions (realm_key, name_key, realm, username, ends_at, token_hash, handle, created_at, latest_access,
        maximum_idle, expires_at, properties, auth_level, service, authenticated_at)
        SELECT realm_key, name_key, realm, username, :now + 1800, sha256((:token)::text::bytea), 'shandle:' || :token, :now,
        :now, 1800, :now + 7200, '{"AMCtxId":"0123456789abcdef"}', 0, 'Login', :now FROM users WHERE \(account) AND is_active
        FOR NO KEY UPDATE;
      DELETE FROM sessions WHERE token_hash IN (SELECT token_hash FROM sessions WHERE \(account)
        ORDER BY created_at DESC, added_at DESC OFFSET 100);
      SELECT * FROM users WHERE \(account);
      \\endpipeline
      """
  }
}
