import CommonFixtures
import Foundation
import PostgresFixtures
import StrictJSON
import Testing

/// `sealring backup` and `restore`, and the commands that read a server's data, on both kinds of databases.
@Suite struct BackupCommandTests {
  private struct Scene {
    let setup: CommandSetup
    /// The file of the private key, the public key, and a backup of the running server.
    let identity: String
    let recipient: String
    let file: String
    let fingerprint: String

    func path(_ name: String) -> String { setup.folder.appending(path: name).path(percentEncoded: false) }

    func run(_ arguments: [String], input: String = "") async throws -> CommandLineTool.Result {
      try await setup.tool.run(arguments, input: input)
    }

    func restore(_ arguments: [String]) async throws -> CommandLineTool.Result {
      try await run(["restore", file, "--identity", identity] + arguments)
    }
  }

  private static func scene(_ body: (Scene) async throws -> Void) async throws {
    try await CommandSetup.run { setup in
      try await setup.bind()
      let identity = setup.folder.appending(path: "backup.key").path(percentEncoded: false)
      let made = try await setup.tool.run(["backup", "keygen", identity])
      let recipient = made.output.trimmingCharacters(in: .newlines)
      #expect(made.status == 0 && recipient.hasPrefix("sealring-recipient-"), "\(made.errors)")
      let file = setup.folder.appending(path: "backup").path(percentEncoded: false)
      let backup = try await setup.tool.run([
        "backup", "--data", setup.data, "--recipient", recipient, "--output", file, "--events", "--json",
      ])
      #expect(backup.status == 0, "\(backup.errors)")
      let json = try backup.json
      #expect(json["accounts"] == 2 && json["evidence"] == 1 && json["eventFiles"] == 1, "\(json)")
      try await body(
        Scene(
          setup: setup, identity: identity, recipient: recipient, file: file,
          fingerprint: json["fingerprint"]?.stringValue ?? ""))
    }
  }

  private static func mode(_ path: String) throws -> Int? {
    (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
  }

  /// Whether mira can sign in at a server on these data, with her bound key.
  private static func signsIn(_ scene: Scene, data: String, arguments: [String] = []) async throws -> Bool {
    let server = try await ServerProcess.start(
      data: URL(filePath: data), port: scene.setup.server.port, arguments: arguments)
    let signed = try await scene.run(
      ["sign", "--server", server.address, "--pin-stdin"],
      input: CommandSetup.pin + "\n")
    _ = await server.stop()
    return signed.status == 0
  }

  @Test func `a backup of a running server is checked, restored and served`() async throws {
    try await Self.scene { scene in
      #expect(try Self.mode(scene.identity) == 0o600 && Self.mode(scene.file) == 0o600)
      let whole = try Data(contentsOf: URL(filePath: scene.file))
      for secret in ["mira", "sealring.sqlite", "CREATE TABLE"] {
        #expect(whole.range(of: Data(secret.utf8)) == nil, "\(secret) can be read")
      }
      let before = try FileManager.default.contentsOfDirectory(atPath: scene.setup.folder.path).sorted()
      let checked = try await scene.restore(["--check", "--json"])
      #expect(checked.status == 0, "\(checked.errors)")
      #expect(try checked.json["ledger"]?["entries"] == 1 && checked.json["tables"]?["users"] == 2)
      #expect(try checked.json["fingerprint"]?.stringValue == scene.fingerprint)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: scene.setup.folder.path).sorted() == before)

      let restored = scene.path("restored")
      // Anyone could have encrypted it.
      let blind = try await scene.restore(["--into", restored])
      #expect(blind.status == 1 && blind.errors.contains(scene.fingerprint), "\(blind.errors)")
      let wrong = try await scene.restore([
        "--into", restored, "--fingerprint", scene.fingerprint + "A",
      ])
      #expect(wrong.status == 1 && !FileManager.default.fileExists(atPath: restored))

      let done = try await scene.restore(["--into", restored, "--fingerprint", scene.fingerprint])
      #expect(done.status == 0 && done.errors.contains("Sessions that were open"), "\(done.errors)")
      #expect(try Self.mode(restored) == 0o700)
      for name in ["server.key", "sealring.sqlite", "events.jsonl"] {
        #expect(try Self.mode("\(restored)/\(name)") == 0o600, "\(name)")
      }
      let doctor = try await scene.run(["doctor", "--data", restored, "--json"])
      #expect(doctor.status == 0 && doctor.output.contains(scene.fingerprint), "\(doctor.output)")
      // Nothing is replaced.
      let again = try await scene.restore(["--into", restored, "--any-server"])
      #expect(again.status == 1 && again.errors.contains("not empty"), "\(again.errors)")
      _ = await scene.setup.server.stop()
      #expect(try await Self.signsIn(scene, data: restored))
    }
  }

  @Test func `a backup that was cut or changed leaves nothing`() async throws {
    try await Self.scene { scene in
      let whole = try Data(contentsOf: URL(filePath: scene.file))
      var changed = whole
      changed[whole.count / 2] ^= 1
      for (name, bytes) in [("cut", whole.dropLast(100)), ("changed", changed), ("empty", Data())] {
        let file = scene.path(name)
        try bytes.write(to: URL(filePath: file))
        let before = try FileManager.default.contentsOfDirectory(atPath: scene.setup.folder.path).sorted()
        for arguments in [["--check"], ["--into", scene.path("restored"), "--any-server"]] {
          let result = try await scene.run(["restore", file, "--identity", scene.identity] + arguments)
          #expect(result.status == 1, "\(name)")
        }
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: scene.setup.folder.path).sorted() == before)
      }
      let stranger = scene.path("stranger.key")
      #expect(try await scene.run(["backup", "keygen", stranger]).status == 0)
      let refused = try await scene.run(["restore", scene.file, "--identity", stranger, "--check"])
      #expect(refused.status == 1 && refused.errors.contains(scene.recipient), "\(refused.errors)")
      // No key and no backup is overwritten.
      #expect(try await scene.run(["backup", "keygen", stranger]).status == 1)
      let over = try await scene.run([
        "backup", "--data", scene.setup.data, "--recipient", scene.recipient, "--output", scene.file,
      ])
      #expect(over.status == 1 && over.errors.contains("--force"), "\(over.errors)")
      let mistyped = try await scene.run([
        "backup", "--data", scene.setup.data, "--recipient",
        scene.recipient.replacing("recipient-", with: "recipient-A"),
        "--output", scene.path("mistyped"),
      ])
      #expect(mistyped.status == 64, "\(mistyped.errors)")
    }
  }

  @Test func `one machine's data move into PostgreSQL and back, with devices, evidence and without sessions`()
    async throws
  {
    try await Self.scene { scene in
      _ = await scene.setup.server.stop()
      let address = try await PostgresServer.shared.createDatabase()
      let cluster = scene.path("cluster")
      let moved = try await scene.restore([
        "--into", cluster, "--database", address, "--fingerprint", scene.fingerprint, "--end-sessions",
        "--json",
      ])
      #expect(moved.status == 0, "\(moved.errors)")
      #expect(try Self.mode("\(cluster)/server.key") == 0o600)
      #expect(!FileManager.default.fileExists(atPath: "\(cluster)/sealring.sqlite"))
      #expect(try await Self.signsIn(scene, data: cluster, arguments: ["--database", address]))

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
      #expect(try await Self.signsIn(scene, data: back))
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
          ("DELETE FROM evidence_ledger; DROP TABLE oath_accounts", "databaseSchema"),
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
