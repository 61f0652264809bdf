import CommonFixtures
import Foundation
import PostgresFixtures
import StrictJSON
import Testing

/// `sealring backup` and `restore`, and the commands that read a server's data, on both kinds of databases.
@Suite struct BackupCommandTests {
  /// Whether mira can sign in at a server on these data, with her bound key.
  private func signsIn(
    _ scene: BackupScene<CommandLineTool, ServerProcess>, data: String, arguments: [String] = []
  ) async throws -> Bool {
    try await scene.signsIn(
      at: try await ServerProcess.start(
        data: URL(filePath: data), port: scene.setup.server.port, arguments: arguments))
  }

  @Test func `one machine's data move into PostgreSQL and back, with devices, evidence and without sessions`()
    async throws
  {
    try await BackupScene<CommandLineTool, ServerProcess>.run { scene in
      _ = await scene.setup.server.stop()
      let address = try await PostgresServer.shared.createDatabase()
      let cluster = scene.path("cluster")
      let moved = try await scene.restore([
        "--into", cluster, "--database", address, "--fingerprint", scene.fingerprint, "--end-sessions",
        "--json",
      ])
      #expect(moved.status == 0, "\(moved.errors)")
      #expect(try scene.mode("\(cluster)/server.key") == 0o600)
      #expect(!FileManager.default.fileExists(atPath: "\(cluster)/sealring.sqlite"))
      #expect(try await signsIn(scene, data: cluster, arguments: ["--database", address]))

      let at = ["--data", cluster, "--database", address]
      let export = scene.path("ledger.jsonl")
      let exported = try await scene.run(["audit", "export", export, "--json"] + at)
      #expect(try exported.status == 0 && exported.json["entries"] == 2, "\(exported.errors)")
      #expect(try await scene.run(["audit", "verify", export]).status == 0)
      let listed = try await scene.run(["audit", "list", "--user", "mira", "--json"] + at)
      #expect(try listed.status == 0 && listed.json.arrayValue?.count == 2, "\(listed.errors)")
      #expect(try await scene.run(["audit", "show", "1"] + at).status == 0)
      #expect(try await scene.run(["audit", "push"] + at).status == 0)
      let unlocked = try await scene.run(["user", "unlock", "mira", "--json"] + at)
      #expect(try unlocked.status == 0 && unlocked.json["unlocked"] == false, "\(unlocked.errors)")

      // A database that holds servers' data takes no backup.
      let twice = try await scene.restore(["--into", cluster, "--database", address, "--any-server"])
      #expect(twice.status == 1 && twice.errors.contains("empty database"), "\(twice.errors)")

      let back = scene.path("back")
      let second = try await scene.run(
        ["backup", "--recipient", scene.recipient, "--output", scene.path("second"), "--json"] + at)
      #expect(
        try second.status == 0 && second.json["fingerprint"]?.stringValue == scene.fingerprint,
        "\(second.errors)")
      let returned = try await scene.run([
        "restore", scene.path("second"), "--identity", scene.identity, "--into", back, "--fingerprint",
        scene.fingerprint,
      ])
      #expect(returned.status == 0, "\(returned.errors)")
      #expect(try await signsIn(scene, data: back))
    }
  }

  @Test func `the doctor finds what is wrong with a PostgreSQL`() async throws {
    try await withTemporaryFolder { folder in
      try await PostgresServer.run { postgres in
        let address = try await postgres.createDatabase()
        let data = folder.appending(path: "server")
        let tool = CommandLineTool(home: folder.appending(path: "client"))
        let at = ["doctor", "--data", data.path(percentEncoded: false), "--database", address, "--json"]
        func states() async throws -> [String: String] {
          var states: [String: String] = [:]
          for check in try await tool.run(at).json.arrayValue ?? [] {
            let (id, state) = (check["check"]?.stringValue ?? "", check["state"]?.stringValue ?? "")
            if states[id] != "failed" { states[id] = state }
            if ["failed", "warning"].contains(state) {
              #expect(check["advice"]?.stringValue?.isEmpty == false, "\(check)")
            }
          }
          return states
        }
        try FileManager.default.createDirectory(
          at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        #expect(try await states()["databaseSchema"] == "absent")
        let server = try await ServerProcess.start(data: data, arguments: ["--database", address])
        var found = try await states()
        for id in [
          "database", "databaseTLS", "databaseVersion", "databaseEncoding", "databaseRole",
          "databaseConnections",
          "databaseClock", "databaseSchema", "databaseKey", "databaseLedger", "key",
        ] {
          #expect(found[id] == "ok", "\(id): \(found)")
        }
        // The fixture's servers are for tests only.
        #expect(found["databaseDurability"] == "failed")
        _ = await server.stop()

        let key = data.appending(path: "server.key")
        let ownKey = try Data(contentsOf: key)
        try Data(repeating: 7, count: 32).write(to: key)
        #expect(try await states()["databaseKey"] == "failed")
        try ownKey.write(to: key)
        for (sql, id) in [
          ("SET session_replication_role = replica; DELETE FROM evidence_ledger", "databaseLedger"),
          ("DROP TABLE oath_accounts", "databaseSchema"),
          ("UPDATE sealring_schema SET version = 99, oldest = 99", "databaseSchema"),
          (
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$",
            "databaseRole"
          ),
        ] {
          #expect(try await postgres.psql(on: address, sql) == 0)
          found = try await states()
          #expect(found[id] == "failed", "\(id): \(found)")
        }
        postgres.end()
        found = try await states()
        #expect(found["database"] == "failed")
      }
    }
  }

  @Test func `the doctor tells a pooler from a direct connection`() async throws {
    try await withTemporaryFolder { folder in
      try await PostgresServer.shared.withPooler(connections: 4) { pooler in
        let address = pooler.address
        let data = folder.appending(path: "server")
        let server = try await ServerProcess.start(data: data, arguments: ["--database", address])
        let tool = CommandLineTool(home: folder.appending(path: "client"))
        let at = ["--data", data.path(percentEncoded: false), "--database", address]
        let doctor = try await tool.run(["doctor"] + at)
        #expect(doctor.output.contains("through a pooler"), "\(doctor.output)")
        _ = await server.stop()
        // A backup is one transaction, which a pooler in transaction mode leaves on one connection.
        let identity = folder.appending(path: "key").path(percentEncoded: false)
        let recipient = try await tool.run(["backup", "keygen", identity]).output.trimmingCharacters(
          in: .newlines)
        let file = folder.appending(path: "backup").path(percentEncoded: false)
        let backup = try await tool.run(["backup", "--recipient", recipient, "--output", file] + at)
        #expect(backup.status == 0, "\(backup.errors)")
        #expect(try await tool.run(["restore", file, "--identity", identity, "--check"]).status == 0)
      }
    }
  }

  @Test func `commands refuse a database that is not a server's, and make none of it`() async throws {
    try await withTemporaryFolder { folder in
      let address = try await PostgresServer.shared.createDatabase()
      let tool = CommandLineTool(home: folder.appending(path: "client"))
      let at = ["--data", folder.path(percentEncoded: false), "--database", address]
      for command in [
        ["audit", "list"], ["audit", "export", folder.appending(path: "x").path], ["user", "unlock", "mira"],
        ["audit", "push"],
      ] {
        let result = try await tool.run(command + at)
        #expect(
          result.status == 1 && result.errors.contains("no tables of Sealring"),
          "\(command): \(result.errors)")
      }
      #expect(try await PostgresServer.shared.psql(on: address, "SELECT 1 FROM sealring_schema") != 0)
      let wrong = try await tool.run(["audit", "list", "--database", "mysql://db/x"])
      #expect(wrong.status == 64, "\(wrong.errors)")
      // An address may hold a password.
      let secret = try await tool.run([
        "audit", "list", "--data", folder.path(percentEncoded: false), "--database",
        "postgres://mira:tulips-in-march@127.0.0.1:9/x?connect_timeout=2",
      ])
      #expect(secret.status == 1 && !secret.errors.contains("tulips"), "\(secret.errors)")
    }
  }
}
