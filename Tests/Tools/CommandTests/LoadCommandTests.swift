import Foundation
import SealringTesting
import StrictJSON
import Testing

/// `sealring load` against a server, each scenario with a few devices.
@Suite struct LoadCommandTests {
  private func steps(_ report: JSONValue) -> [String] {
    (report["steps"]?.arrayValue ?? []).compactMap { $0["step"]?.stringValue }
  }

  private static let closed = ["--concurrency", "2", "--duration", "1"]

  @Test func `devices are bound once, sign in with what was bound, and reports merge`() async throws {
    try await LoadScene<CommandLineTool, LocalServer>.run { scene in
      let bound = try await scene.report("bind", ["--password-stdin"])
      #expect(bound["completed"] == 3 && steps(bound) == ["start", "password", "bind"], "\(bound.text)")
      #expect(try await scene.report("bind", ["--password-stdin"])["completed"] == 0)
      let again = try await scene.setup.done(
        ["load", "accounts", "--devices", "3", "--password-stdin", "--json"],
        input: CommandSetup.password + "\n")
      #expect(try again.json == ["added": 0, "there": 3])

      let folder = scene.setup.folder.path(percentEncoded: false)
      let (files, page) = (["\(folder)/load1.json", "\(folder)/load2.json"], "\(folder)/load.html")
      let first = try await scene.report("sign-in", Self.closed + ["--out", files[0], "--html", page])
      let second = try await scene.report("sign-in", Self.closed + ["--out", files[1]])
      let counts = [first, second].map { $0["completed"]?.integerValue ?? 0 }
      #expect(counts.allSatisfy { $0 > 0 } && steps(first) == ["start", "sign"])
      #expect(try String(contentsOfFile: page, encoding: .utf8).contains("<svg"))
      // They ran one after the other, so they are not one load; one with itself is.
      let apart = try await scene.setup.tool.run(["load", "merge", "--json"] + files)
      #expect(apart.status == 1 && apart.errors.contains("--start-at"), "\(apart.errors)")
      let merged = try await scene.setup.tool.run(["load", "merge", "--json", files[0], files[0]])
      #expect(try merged.json["completed"]?.integerValue == counts[0] * 2, "\(merged.errors)")
      let damaged = try await scene.setup.tool.run(["load", "merge", "--json", page])
      #expect(damaged.status == 1 && damaged.errors.contains(#""code":"damaged""#), "\(damaged.errors)")
      // And a file that is there is not replaced.
      let kept = try await scene.load("sign-in", Self.closed + ["--out", files[0]])
      #expect(kept.status == 1 && kept.errors.contains("--force"), "\(kept.errors)")
    }
  }

  @Test func `an open loop asks for its rate and reports in 80 columns`() async throws {
    try await LoadScene<CommandLineTool, LocalServer>.run { scene in
      _ = try await scene.report("bind", ["--password-stdin"])
      let result = try await scene.setup.done(
        ["load", "run", "sign-in", "--rate", "5", "--duration", "2s", "--ramp", "1"] + scene.devices)
      #expect(result.output.contains("asked for 5/s") && result.output.contains("whole run"))
      #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(result.output)")
      #expect(result.errors.contains("Loading realm alpha of \(scene.setup.server.address)"))
      let slow = try await scene.load("sign-in", Self.closed + ["--max-p99", "1ms", "--max-failed", "0"])
      #expect(slow.status == 1 && slow.errors.contains("The p99 is"), "\(slow.errors)")
      #expect(try slow.json["failed"] == 0)
      // Off a terminal nothing is drawn while it runs.
      #expect(!result.errors.contains("\u{1B}") && !result.errors.contains(" busy"))
    }
  }

  @Test func `push devices register, and approve sign-ins`() async throws {
    try await LoadScene<CommandLineTool, LocalServer>.run { scene in
      let registered = try await scene.report("push-register", ["--password-stdin"])
      #expect(registered["completed"] == 3 && steps(registered).contains("register"), "\(registered.text)")
      for journey in ["PushSignIn", "PushNumber"] {
        let report = try await scene.report(
          "push", Self.closed + ["--poll", "--password-stdin", "--journey", journey])
        #expect((report["completed"]?.integerValue ?? 0) >= 2, "\(report.text)")
        #expect(Set(steps(report)).isSuperset(of: ["start", "password", "message", "approve", "wait"]))
      }
    }
  }

  @Test func `passkeys are registered, and sign in`() async throws {
    try await LoadScene<CommandLineTool, LocalServer>.run { scene in
      let registered = try await scene.report("passkey-register", ["--password-stdin"])
      #expect(registered["completed"] == 3 && steps(registered).contains("attest"), "\(registered.text)")
      for journey in ["WebAuthnSignIn", "Usernameless"] {
        let report = try await scene.report("passkey", Self.closed + ["--journey", journey])
        #expect((report["completed"]?.integerValue ?? 0) >= 2 && steps(report).contains("assert"))
      }
    }
  }

  @Test func `transactions are made and approved`() async throws {
    try await LoadScene<CommandLineTool, LocalServer>.run { scene in
      _ = try await scene.report("bind", ["--password-stdin"])
      let shop = try await scene.setup.addApplication("Load test")
      let report = try await scene.report(
        "transaction", Self.closed + ["--application", shop.id], input: shop.secret + "\n")
      #expect((report["completed"]?.integerValue ?? 0) >= 2 && steps(report) == ["create", "start", "sign"])
      let wrong = try await scene.load(
        "transaction", Self.closed + ["--application", shop.id], input: "not the secret\n")
      #expect(wrong.status == 1 && wrong.errors.contains(#""code":"refused""#), "\(wrong.errors)")
      #expect(!(wrong.errors + wrong.output).contains("not the secret"))
    }
  }

  @Test func `what cannot be loaded is refused with the reason`() async throws {
    try await LoadScene<CommandLineTool, LocalServer>.run { scene in
      _ = try await scene.report("bind", ["--password-stdin"])
      func refused(_ scenario: String, _ more: [String], _ code: String, _ text: String) async throws {
        let result = try await scene.load(scenario, more)
        let last = result.errors.split(separator: "\n").last.map(String.init) ?? ""
        let error = try JSONValue(parsing: last)["error"]
        #expect(result.status != 0 && error?["code"]?.stringValue == code, "\(more): \(result.errors)")
        #expect(error?["message"]?.stringValue?.contains(text) == true, "\(more): \(result.errors)")
      }
      try await refused(
        "sign-in", Self.closed + ["--journey", "BindDeviceNoPin"], "unsupported", "--password-stdin")
      try await refused(
        "sign-in", Self.closed + ["--journey", "BindDeviceNoPin", "--password-stdin"], "unsupported",
        "DeviceBindingCallback")
      try await refused("sign-in", Self.closed + ["--journey", "NoSuchJourney"], "refused", "No run")
      try await refused("sign-in", Self.closed + ["--devices", "9"], "notFound", "Only 3 of 9")
      try await refused("passkey", Self.closed, "notFound", "passkey-register")
      try await refused("sign-in", [], "usage", "--rate")
      try await refused("push", Self.closed, "usage", "--poll")
      try await refused("transaction", Self.closed, "usage", "--application")
      try await refused("sign-in", Self.closed + ["--realm", "root"], "invalid", "belong to realm alpha")
      try await refused(
        "sign-in", Self.closed + ["--start-at", "2020-01-01T00:00:00Z"], "expired", "--start-at")
    }
  }

  /// A terminal whose last line can change, whatever the tests run on.
  private func terminal(_ scene: LoadScene<CommandLineTool, LocalServer>) -> CommandLineTool {
    var tool = scene.setup.tool
    tool.environment.merge(["TERM": "xterm", "ACCESSIBLE": ""]) { $1 }
    return tool
  }
}
