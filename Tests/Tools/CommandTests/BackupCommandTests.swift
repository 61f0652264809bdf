import Foundation
import StrictJSON
import Testing

/// `sealring backup` and `restore`, on a server's folder.
@Suite struct BackupCommandTests {
  @Test func `a backup of a running server is checked, restored and served`() async throws {
    try await BackupScene<CommandLineTool, LocalServer>.run { scene in
      #expect(try scene.mode(scene.identity) == 0o600 && scene.mode(scene.file) == 0o600)
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
      #expect(done.errors.contains("If it was retired since"), "\(done.errors)")
      #expect(try scene.mode(restored) == 0o700)
      for name in ["server.key", "sealring.sqlite", "events.jsonl"] {
        #expect(try scene.mode("\(restored)/\(name)") == 0o600, "\(name)")
      }
      let doctor = try await scene.run(["doctor", "--data", restored, "--json"])
      #expect(doctor.status == 0 && doctor.output.contains(scene.fingerprint), "\(doctor.output)")
      // Nothing is replaced.
      let again = try await scene.restore(["--into", restored, "--any-server"])
      #expect(again.status == 1 && again.errors.contains("not empty"), "\(again.errors)")
      try await scene.setup.server.stop()
      let server = try await LocalServer.start(data: URL(filePath: restored), port: scene.setup.server.port)
      #expect(try await scene.signsIn(at: server))
    }
  }

  @Test func `a backup that was cut or changed leaves nothing`() async throws {
    try await BackupScene<CommandLineTool, LocalServer>.run { scene in
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
}
