import CommonFixtures
import Crypto
import EvidenceLedger
import Foundation
import PrivateFiles
import ProofFixtures
import StrictJSON
import Testing

/// `sealring audit checkpoint`, `prove`, `witness` and `verify --against`, on the ledger of a real server, and the program in
/// another language on what they write.
@Suite struct AuditProofTests {
  /// A ledger of four entries, with a checkpoint that was made when it had two.
  private struct Scene {
    let setup: CommandSetup

    /// A copy of the server's folder from when there were two entries, which went another way since.
    let fork: String

    func path(_ name: String) -> String { setup.folder.appending(path: name).path(percentEncoded: false) }

    func audit(_ arguments: String...) async throws -> CommandLineTool.Result {
      try await setup.tool.run(["audit"] + arguments)
    }

    func done(_ arguments: String...) async throws -> CommandLineTool.Result {
      let result = try await setup.tool.run(["audit"] + arguments)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
      return result
    }

    /// Expects that a command says with `code` why it fails.
    func refused(_ code: String, _ arguments: String...) async throws {
      let result = try await setup.tool.run(["audit"] + arguments + ["--json"])
      #expect(result.status == (code == "usage" ? 64 : 1), "\(arguments): \(result.output)")
      #expect(result.errors.contains("\"code\":\"\(code)\""), "\(arguments): \(result.errors)")
    }

    /// Expects that `verify` finds a fault of this kind, and that the other program refuses the file as well.
    func found(_ kind: String, _ arguments: String...) async throws {
      let result = try await setup.tool.run(["audit", "verify"] + arguments + ["--json"])
      #expect(result.status == 1, "\(arguments)")
      #expect(try result.json["kind"] == .string(kind), "\(arguments): \(result.output)")
      let other = try await python(arguments)
      #expect(other.status == 1 && !other.errors.contains("Traceback"), "\(arguments): \(other.errors)")
    }

    /// Expects that both take the file.
    func good(_ arguments: String...) async throws {
      let result = try await setup.tool.run(["audit", "verify"] + arguments)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
      let other = try await python(arguments)
      #expect(other.status == 0, "\(arguments): \(other.errors)")
    }

    private func python(_ arguments: [String]) async throws -> CommandLineTool.Result {
      let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Interoperability/evidence_verifier.py")
      return try await RunningCommand(
        path: "/usr/bin/env", arguments: ["python3", "-B", script.path(percentEncoded: false)] + arguments,
        environment: ProcessInfo.processInfo.environment, input: ""
      ).finish()
    }

    /// Writes a file with a member of another's, or another value.
    func write(_ name: String, like file: String, _ change: (inout JSONObject) -> Void) throws -> String {
      var json = try json(file)
      change(&json)
      try Data(json.serialized).write(to: URL(filePath: path(name)))
      return path(name)
    }

    /// Gives a witness a key whose thumbprint begins with a hyphen, as one in 64 does. Returns the thumbprint.
    func makeHyphenatedWitness(in folder: String) throws -> String {
      while true {
        let key = P256.Signing.PrivateKey()
        let name = try Thumbprint.of(key.publicKey.jwk())
        guard name.hasPrefix("-") else { continue }
        try ProtectedFiles.createFolder(URL(filePath: folder))
        try ProtectedFiles.replace(
          URL(filePath: folder).appending(path: "witness.key"), with: Array(key.pemRepresentation.utf8))
        return name
      }
    }

    func json(_ file: String) throws -> JSONObject {
      try JSONObject(parsing: Array(try Data(contentsOf: URL(filePath: path(file)))))
    }

    static func run(_ body: (Scene) async throws -> Void) async throws {
      try await CommandSetup.run { setup in
        let scene = Scene(
          setup: setup, fork: setup.folder.appending(path: "fork").path(percentEncoded: false))
        func sign(_ text: String, at server: ServerProcess) async throws {
          let result = try await setup.tool.run(
            ["sign", "--server", server.address, "--text", text, "--pin-stdin"],
            input: CommandSetup.pin + "\n")
          #expect(result.status == 0, "\(result.errors)")
        }
        _ = try await setup.bind()
        try await sign("Pay 10 EUR", at: setup.server)
        _ = try await scene.done("checkpoint", "--data", setup.data, scene.path("early"))
        _ = await setup.server.stop()
        try FileManager.default.copyItem(atPath: setup.data, toPath: scene.fork)
        for (data, texts) in [
          (setup.data, ["Pay 20 EUR", "Pay 30 EUR"]), (scene.fork, ["Pay 1 EUR", "Pay 2 EUR"]),
        ] {
          let server = try await ServerProcess.start(data: URL(filePath: data), port: setup.server.port)
          for text in texts { try await sign(text, at: server) }
          _ = await server.stop()
        }
        try await body(scene)
      }
    }
  }

  @Test func `a ledger proves its entries and its past to those who have a checkpoint`() async throws {
    try await Scene.run { scene in
      let data = scene.setup.data
      let early = scene.path("early")
      let (now, export, proof) = (scene.path("now"), scene.path("export"), scene.path("proof"))
      let made = try await scene.done("checkpoint", "--data", data, "--since", early, now, "--json").json
      let ledger = try #require(made["ledger"]?.stringValue)
      #expect(made["entries"] == 4)
      _ = try await scene.done("export", "--data", data, export)
      _ = try await scene.done("prove", "--data", data, "3", proof)
      try await scene.good(early, "--ledger=\(ledger)")
      try await scene.good(now, "--against", early)
      try await scene.good(export, "--against", early)
      try await scene.good(proof, "--ledger=\(ledger)")
      // Somebody who has the export alone makes the same of it.
      let again = try await scene.done(
        "checkpoint", "--export", export, "--since", early, scene.path("again"), "--json")
      #expect(try again.json["root"] == made["root"])
      // An entry of then, in the tree of then.
      let old = scene.path("old")
      _ = try await scene.done("prove", "--export", export, "--at", early, "2", old)
      try await scene.good(old, "--against", early)
      let verified = try await scene.done("verify", old, "--against", early, "--json").json
      #expect(verified["entries"] == 2 && verified["entry"]?["number"] == 2)

      try await scene.refused("notFound", "prove", "--data", data, "99", scene.path("none"))
      try await scene.refused("notFound", "prove", "--data", data, "--at", early, "3", scene.path("none"))
      #expect(!FileManager.default.fileExists(atPath: scene.path("none")))
      try await scene.refused("conflict", "checkpoint", "--data", data, now)
      try await scene.refused("usage", "verify", export, "--witness", ledger)
      try await scene.refused("usage", "verify", proof, "--witness", ledger)
      try await scene.refused("usage", "verify", export, "--against", early, "--continues", export)
      try await scene.refused("usage", "prove", "--data", data, "0", scene.path("none"))
    }
  }

  // Over ten seconds, like the other tests of this suite: each file goes through two programs, in processes of their own.
  @Test func `each lie about the past is found, by both programs`() async throws {
    try await Scene.run { scene in
      let data = scene.setup.data
      let (early, export, now, proof) = (
        scene.path("early"), scene.path("export"), scene.path("now"), scene.path("proof")
      )
      let forked = scene.path("forked")
      _ = try await scene.done("checkpoint", "--data", data, "--since", early, now)
      _ = try await scene.done("checkpoint", "--data", scene.fork, "--since", early, forked)
      _ = try await scene.done("export", "--data", data, export)
      _ = try await scene.done("export", "--data", scene.fork, scene.path("fork export"))
      _ = try await scene.done("prove", "--data", data, "3", proof)

      // Two ledgers of one past: each is good by itself.
      try await scene.good(forked, "--against", early)
      try await scene.found("forked", now, "--against", forked)
      try await scene.found("rewritten", scene.path("fork export"), "--against", now)
      // Cut: what was published counts more.
      try await scene.found("removed", early, "--against", now)
      try await scene.found("proof", proof, "--against", early)
      // Another server's.
      let stranger = scene.path("stranger")
      let server = try await ServerProcess.start(data: URL(filePath: stranger))
      _ = await server.stop()
      _ = try await scene.done("checkpoint", "--data", stranger, scene.path("strange"))
      try await scene.found("ledger", export, "--against", scene.path("strange"))
      try await scene.found("ledger", now, "--against", scene.path("strange"))
      try await scene.refused("damaged", "checkpoint", "--data", stranger, "--since", early, scene.path("x"))
      try await scene.refused("damaged", "checkpoint", "--data", scene.fork, "--since", now, scene.path("x"))
      #expect(!FileManager.default.fileExists(atPath: scene.path("x")))
      // A line, a path, a checkpoint that somebody has changed.
      let text = try String(contentsOfFile: export, encoding: .utf8)
      try text.replacing("SignTransaction", with: "SignTransactiom").write(
        toFile: scene.path("bad export"), atomically: true, encoding: .utf8)
      try await scene.found("changed", scene.path("bad export"), "--against", early)
      let short = try scene.write("short", like: "proof") {
        $0["path"] = .array(Array(($0["path"]?.arrayValue ?? []).dropLast()))
      }
      try await scene.found("proof", short)
      let other = try scene.json("early")
      let swapped = try scene.write("swapped", like: "proof") { $0["checkpoint"] = other["checkpoint"] }
      try await scene.found("proof", swapped)
      let unproved = try scene.write("unproved", like: "now") { $0["consistency"] = nil }
      try await scene.found("proof", unproved, "--against", early)
    }
  }

  @Test func `content that has gone cannot be shown, and what was proved before still is`() async throws {
    try await Scene.run { scene in
      let data = scene.setup.data
      let (early, export, proof) = (scene.path("early"), scene.path("export"), scene.path("proof"))
      _ = try await scene.done("prove", "--data", data, "2", proof)
      try await scene.refused("cancelled", "retain", "--data", data, "--before", "2026-11-22T00:00:00Z")
      try await scene.refused("usage", "retain", "--data", data, "--before", "2126-11-22T00:00:00Z", "--yes")
      let kept = try await scene.done("retain", "--data", data, "--before", "1d", "--yes", "--json")
      #expect(try kept.json["removed"] == 0)
      // All of them are older than this moment.
      let now = Date().formatted(.iso8601)
      // While the file of events cannot be written, nothing is removed.
      let (eventFile, aside) = ("\(data)/events.jsonl", scene.path("events aside"))
      try FileManager.default.moveItem(atPath: eventFile, toPath: aside)
      try FileManager.default.createDirectory(atPath: eventFile, withIntermediateDirectories: false)
      try await scene.refused("failed", "retain", "--data", data, "--before", now, "--yes")
      _ = try await scene.done("show", "--data", data, "2")
      try FileManager.default.removeItem(atPath: eventFile)
      try FileManager.default.moveItem(atPath: aside, toPath: eventFile)
      let gone = try await scene.done("retain", "--data", data, "--before", now, "--yes", "--json")
      #expect(try gone.json["removed"]?.integerValue ?? 0 >= 2)
      // Who did it stands beside the database, before and after it.
      let noted = try String(contentsOfFile: eventFile, encoding: .utf8).split(separator: "\n").suffix(2).map
      {
        try JSONValue(parsing: Array($0.utf8))
      }
      #expect(
        noted.map { $0["event"]?.stringValue } == ["ledger.removal-began", "ledger.content-removed"])
      #expect(noted.first?["detail"]?["before"] == (try gone.json["before"]))
      #expect(noted.last?["detail"]?["removed"] == (try gone.json["removed"]))
      #expect(noted.allSatisfy { $0["actor"]?.stringValue?.hasSuffix("on this machine") == true })
      _ = try await scene.done("export", "--data", data, export)
      let text = try String(contentsOfFile: export, encoding: .utf8)
      #expect(text.contains("{\"removed\":2,"))
      try await scene.good(export, "--against", early)
      // What is gone is not said to have been verified.
      let verified = try await scene.done("verify", export)
      let count = try #require(try gone.json["removed"]?.integerValue)
      #expect(verified.output.contains("The first \(count) have no content any more"), "\(verified.output)")
      #expect(!verified.output.contains("every signature verifies"))
      #expect(try await scene.done("verify", export, "--json").json["removed"] == .integer(count))
      try await scene.good(proof)
      try await scene.good(early)
      try await scene.refused("notFound", "prove", "--data", data, "2", scene.path("none"))
      try await scene.refused("notFound", "show", "--data", data, "2")
      let later = scene.path("later")
      _ = try await scene.done("checkpoint", "--data", data, "--since", early, later)
      try await scene.good(later, "--against", early)
      // Somebody else takes a name out of the export in the same way.
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      try (lines[0] + "\n" + lines[1...].dropFirst().joined(separator: "\n")).write(
        toFile: scene.path("shorter"), atomically: true, encoding: .utf8)
      try await scene.found("removed", scene.path("shorter"))
    }
  }

  @Test func `a witness signs one past only, and its signature cannot be borrowed`() async throws {
    try await Scene.run { scene in
      let data = scene.setup.data
      let (early, now, forked) = (scene.path("early"), scene.path("now"), scene.path("forked"))
      let (witness, other) = (scene.path("witness"), scene.path("other witness"))
      _ = try await scene.done("checkpoint", "--data", data, "--since", early, now)
      _ = try await scene.done("checkpoint", "--data", scene.fork, "--since", early, forked)
      let ledger = try #require(
        try await scene.done("verify", early, "--json").json["ledger"]?.stringValue)

      let name = try scene.makeHyphenatedWitness(in: witness)

      // What it has never seen needs a fingerprint from elsewhere.
      try await scene.refused("invalid", "witness", "--folder", witness, early, scene.path("signed early"))
      let signed = try await scene.done(
        "witness", "--folder", witness, "--ledger", ledger, early, scene.path("signed early"), "--json"
      ).json
      #expect(signed["witness"]?.stringValue == name)
      try await scene.good(scene.path("signed early"), "--witness", name)
      _ = try await scene.done("witness", "--folder", witness, now, scene.path("signed now"))
      try await scene.good(
        scene.path("signed now"), "--against", scene.path("signed early"), "--witness", name)
      // The other side of the fork, and the past again.
      try await scene.refused("damaged", "witness", "--folder", witness, forked, scene.path("x"))
      try await scene.refused("damaged", "witness", "--folder", witness, early, scene.path("x"))
      #expect(!FileManager.default.fileExists(atPath: scene.path("x")))

      _ = try await scene.done(
        "witness", "--folder", other, "--ledger", ledger, early, scene.path("other early"))
      try await scene.found("checkpoint", scene.path("other early"), "--witness", name)
      try await scene.found("checkpoint", early, "--witness", name)
      let loan = try scene.json("signed early")
      let borrowed = try scene.write("borrowed", like: "now") { $0["witness"] = loan["witness"] }
      try await scene.found("checkpoint", borrowed, "--witness", name)
      let export = scene.path("export")
      _ = try await scene.done("export", "--data", data, export)
      try await scene.good(export, "--against", scene.path("signed early"), "--witness", name)
      try await scene.refused(
        "damaged", "verify", export, "--against", scene.path("other early"), "--witness", name)
    }
  }
}
