import BindingFormats
import Foundation
import JourneyStore
import PostgresFixtures
import StrictJSON
import Testing

@testable import JourneyStorePostgres

@Suite("A store whose PostgreSQL has a bad day") struct ResilienceTests {
  private func withUser(
    _ address: String, limits: PostgresLimits = PostgresLimits(), _ body: (PostgresStore) async throws -> Void
  ) async throws {
    try await withStore(address, limits: limits) { store in
      try await store.createUser(.demo)
      try await body(store)
    }
  }

  @Test func `a server whose clock is ahead does not remove what the others still need`() async throws {
    let server = try await PostgresServer.shared
    try await withUser(server.address(of: server.newDatabase())) { store in
      #expect(try await store.consume([1], until: noon))
      try await store.createSession(.sample(1))
      let (ahead, end): (Date, Date) = (Date() + 86_400, noon + 2 * 3600)
      try await store.removeExpired(now: end, machineTime: ahead)
      #expect(try await store.consume([1], until: noon) == false)
      #expect(try await store.session(tokenHash: SessionRecord.sample(1).tokenHash, now: noon) != nil)
      // One that is behind removes a little later.
      try await store.removeExpired(now: end, machineTime: Date() - 86_400)
      #expect(try await store.consume([1], until: noon))
      #expect(try await store.session(tokenHash: SessionRecord.sample(1).tokenHash, now: noon) == nil)
    }
  }

  @Test func `through PgBouncer in transaction mode, statements that were prepared elsewhere do no harm`()
    async throws
  {
    try await PostgresServer.shared.withPooler(connections: 3) { pooler in
      try await withUser(pooler.address) { store in
        // More at once than there are connections, so that they change hands.
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<60 {
            group.addTask {
              try await store.createSession(.sample(number))
              #expect(
                try await store.session(tokenHash: SessionRecord.sample(number).tokenHash, now: noon)?.handle
                  == SessionRecord.sample(number).handle)
              #expect(try await store.user(demo)?.username == "demo")
              #expect(try await store.consume([UInt8(number)], until: noon))
              #expect(try await !store.consume([UInt8(number)], until: noon))
            }
          }
          try await group.waitForAll()
        }
        #expect(try await store.sessions(of: demo, now: noon).count == 60)
      }
    }
  }

  @Test func `a PgBouncer that ends and comes back loses nothing that was acknowledged`() async throws {
    try await PostgresServer.shared.withPooler(connections: 3) { pooler in
      try await withUser(pooler.address) { store in
        try await Requests.go(on: store) {
          try await pooler.restart()
          try await pooler.restart()
        }
      }
    }
  }

  @Test func `connections that the server has closed are replaced, and nobody notices`() async throws {
    let server = try await PostgresServer.shared
    let address = try await server.createDatabase()
    try await withUser(address) { store in
      for number in 0..<5 {
        #expect(
          try await server.psql(
            on: address,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
              + "AND pid != pg_backend_pid()") == 0)
        #expect(try await store.user(demo) != nil)
        try await store.createSession(.sample(number))
      }
      #expect(try await store.sessions(of: demo, now: noon).count == 5)
    }
  }

  @Test func `who waits too long for a connection is told so`() async throws {
    let server = try await PostgresServer.shared
    let address = try await server.createDatabase()
    let limits = PostgresLimits(connections: 1, patience: 0.3)
    try await withUser(address, limits: limits) { store in
      // Another program keeps the account's row locked.
      let lock = Task {
        try await server.psql(
          on: address, "BEGIN; SELECT 1 FROM users FOR UPDATE; SELECT pg_sleep(3); COMMIT")
      }
      while try await server.psql(
        on: address, "SELECT 1 / count(*) FROM pg_locks WHERE relation = 'users'::regclass") != 0
      {}
      let blocked = Task { try await store.createSession(.sample(1)) }
      await #expect {
        for _ in 0..<100 { _ = try await store.user(demo) }
      } throws: { error in
        "\(error)".contains("connections to PostgreSQL were in use")
      }
      _ = try await lock.value
      _ = try await blocked.value
    }
  }

  @Test func `a lock is not waited for beyond our patience, and nothing happens when it is gone`()
    async throws
  {
    let server = try await PostgresServer.shared
    let address = try await server.createDatabase()
    try await withUser(address, limits: PostgresLimits(connections: 4, statement: 2)) { store in
      let lock = Task {
        try await server.psql(on: address, "BEGIN; LOCK TABLE sessions; SELECT pg_sleep(6); COMMIT")
      }
      while try await server.psql(
        on: address, "SELECT 1 / count(*) FROM pg_locks WHERE relation = 'sessions'::regclass AND granted")
        != 0
      {}
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<4 {
          group.addTask {
            await #expect { try await store.createSession(.sample(number)) } throws: {
              "\($0)".contains("somebody keeps a lock")
            }
          }
        }
        try await group.waitForAll()
      }
      let ended = """
        SELECT 1 / (count(*) = 0)::int FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'sealring' AND state <> 'idle'
        """
      #expect(try await server.psql(on: address, ended) == 0)
      _ = try await lock.value
      #expect(try await store.sessions(of: demo, now: noon).isEmpty)
    }
  }

  @Test(arguments: [("SET statement_timeout = '7s'", "7s|28s"), ("RESET statement_timeout", "29s|28s")])
  func `statements are bounded on each connection, and what the administrator allows is not raised`(
    setting: String, expected: String
  ) async throws {
    let server = try await PostgresServer.shared
    let address = try await server.createDatabase()
    let change =
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I \(setting.replacing("'", with: "''"))', current_database()); END $$"
    #expect(try await server.psql(on: address, change) == 0)
    try await withStore(address) { store in
      let settings = try await store.rows(
        "pg_settings",
        "SELECT current_setting('statement_timeout') || '|' || current_setting('lock_timeout')",
        []
      ) { try $0.text() }
      #expect(settings == [expected])
    }
  }

  @Test func `a connection that would not commit durably is not used, whenever it is opened`() async throws {
    let server = try await PostgresServer.shared
    let name = try await server.newDatabase()
    let change = """
      ALTER DATABASE \(name) SET synchronous_commit = off;
      SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
        WHERE datname = '\(name)' AND application_name = 'sealring'
      """
    try await withUser(server.address(of: name)) { store in
      let status = try await server.psql(name, change)
      #expect(status == 0)
      await #expect {
        try await store.createSession(.sample(1))
      } throws: { error in
        "\(error)".contains("synchronous_commit off")
      }
    }
  }

  @Test func `who reads or fills a whole database may pause as long as it likes`() async throws {
    let server = try await PostgresServer.shared
    let address = try await server.createDatabase()
    try await PostgresTransaction.read(address) { snapshot in
      for name in ["idle_in_transaction_session", "statement", "lock"] {
        let answer = try await snapshot.run("SELECT current_setting('\(name)_timeout')")
        #expect(try answer.all("") { try $0.text() } == ["0"], "\(name)")
      }
    }
  }

  @Test func `two administrators who take each other's role away at once wait for each other, and one stays`()
    async throws
  {
    let address = try await PostgresServer.shared.createDatabase()
    try await withUser(address) { store in
      for name in ["anna", "bert"] {
        try await store.createUser(
          UserRecord(realm: "root", username: name, isAdministrator: true, createdAt: noon))
        try await store.createSession(
          SessionRecord(
            tokenHash: Array(name.utf8), handle: name, realm: "root", username: name, createdAt: noon,
            latestAccess: noon, maximumIdle: 1800, expiresAt: noon + 7200, properties: [:]))
      }
      let changed = await withTaskGroup(of: Bool.self) { group in
        for (caller, target) in [("anna", "bert"), ("bert", "anna")] {
          group.addTask {
            let caller = Caller(tokenHash: Array(caller.utf8), right: .capability(.administrate), now: noon)
            let change = RoleChange(.administrator, isGrant: false, username: target, realm: "root")
            return (try? await store.changeRole(change, by: caller)) != nil
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(changed == 1)
      #expect(try await store.usersWithRoles(realm: "root", after: nil, limit: 10).count == 1)
    }
  }
}
