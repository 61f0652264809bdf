import CommonFixtures
import Foundation
import ServerCommand
import StrictJSON
import Testing

@testable import sealring

/// What people met in their first hours with the command line.
@Suite(.timeLimit(.minutes(2))) struct NewcomerTests {
  private static let (password, at) = (CommandSetup.password, "--server")

  @Test func `the help of serve begins with address, data and journeys`() async throws {
    try await withTemporaryFolder { folder in
      let help = try await CommandLineTool(home: folder).run(["serve", "--help"])
      let lines = help.output.split(separator: "\n").map(String.init)
      let titles = lines.filter { $0 == $0.uppercased() && $0.hasSuffix(":") }
      #expect(titles.prefix(3) == ["ADDRESS AND DATA:", "JOURNEYS:", "NETWORK:"], "\(titles)")
      #expect(titles.last == "OPTIONS:")
      for (option, latest) in [("--host", 20), ("--port", 20), ("--data", 24), ("--journeys", 40)] {
        let line = lines.firstIndex { $0.hasPrefix("  \(option) ") } ?? .max
        #expect(line < latest, "\(option) stands in line \(line)")
      }
      #expect(lines.contains { $0.hasPrefix("USAGE: sealring serve [--host <host>] [--port <port>]") })
    }
  }

  @Test(arguments: [
    (["push", "list", "--offlin"], "Usage: sealring push list [--all] [--offline]"),
    (["user", "ad"], "Usage: sealring user <subcommand>"),
    (["user", "add", "mira", "--male", "x"], "Usage: sealring user add "),
    (["audit", "list", "--sine", "1d"], "Usage: sealring audit list "),
    (["sine"], "Usage: sealring "),
    (["init", "app", "Till", "--package", "/nowhere"], "Usage: sealring init app <folder>"),
  ]) func `after a slip the usage is the command's own`(arguments: [String], usage: String) async throws {
    try await withTemporaryFolder { folder in
      let result = try await CommandLineTool(home: folder).run(arguments)
      #expect(result.status == 64 && result.output.isEmpty)
      let lines = result.errors.split(separator: "\n").map(String.init)
      #expect(lines.first?.hasPrefix("Error: ") == true)
      #expect(result.errors.contains("\n" + usage), "\(result.errors)")
    }
  }

  @Test func `a server is looked for before a password is asked for, and the lack of one says whose`()
    async throws
  {
    try await CommandSetup.run { setup in
      var tool = setup.tool
      tool.environment["SEALRING_ADMIN_PASSWORD"] = nil
      let asked = try await tool.run(["user", "add", "babs"] + setup.at)
      #expect(asked.status == 1 && asked.errors.contains("Password for amAdmin is needed"), "\(asked.errors)")
      try await setup.server.stop()
      let down = try await tool.run(["user", "add", "babs"] + setup.at)
      #expect(down.status == 1 && down.errors.contains("nothing answers at that address"), "\(down.errors)")
      #expect(!down.errors.contains("assword"), "\(down.errors)")
    }
  }

  @Test func `an entry that is not there is said to be not there, by the server and by its data`()
    async throws
  {
    try await CommandSetup.run { setup in
      try await setup.bind()
      for place in [["--data", setup.data], setup.at] {
        for command in [["audit", "prove", "70", setup.path("proof")], ["audit", "show", "70"]] {
          let none = try await setup.tool.run(command + place)
          #expect(none.status == 1, "\(none.errors)")
          #expect(
            none.errors.lowercased().contains("there is no entry 70"), "\(command + place): \(none.errors)")
          #expect(!none.errors.contains("bad"), "\(none.errors)")
        }
      }
    }
  }

  @Test func `the time of an entry is ISO 8601 in JSON, from the data and from the server`() async throws {
    try await CommandSetup.run { setup in
      try await setup.bind()
      for place in [["--data", setup.data], setup.at] {
        for command in [["audit", "list"], ["audit", "show", "1"]] {
          let json = try await setup.tool.run(command + ["--json"] + place).json
          let time = (json[0] ?? json)["time"]?.stringValue ?? ""
          #expect(
            time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil,
            "\(command + place): \(json.text)")
        }
      }
      let export = setup.path("ledger.jsonl")
      let exported = try await setup.tool.run(["audit", "export", export, "--json", "--data", setup.data])
        .json
      #expect(exported["time"]?.stringValue?.hasSuffix("Z") == true, "\(exported.text)")
      let verified = try await setup.tool.run(["audit", "verify", export, "--json"]).json
      #expect(verified.text.contains(#""time":"20"#), "\(verified.text)")
    }
  }

  @Test func `an account is shown in words, and each journey has one line`() async throws {
    try await CommandSetup.run { setup in
      let shown = try await setup.done(["user", "show", "mira"]).output
      #expect(shown.contains("status: can sign in") && !shown.contains("inetUserStatus"), "\(shown)")
      try await setup.done(["user", "disable", "mira"])
      #expect(try await setup.done(["user", "show", "mira"]).output.contains("cannot sign in (deactivated)"))
      // Programs get the record as the server has it.
      #expect(try await setup.done(["user", "show", "mira", "--json"]).json["inetUserStatus"] == "Inactive")

      let list = try await setup.done(["journey", "list"]).output.split(separator: "\n")
      let names = try await setup.done(["journey", "list", "--json"]).json.arrayValue ?? []
      #expect(names.count > 10 && list.count == names.count + 1)
      for name in names.compactMap({ $0["_id"]?.stringValue }) {
        #expect(list.count { $0.hasPrefix(name + " ") } == 1, "\(name)")
      }
      #expect(list.allSatisfy { $0.count <= 80 }, "\(list.map(\.count))")
    }
  }

  @Test func `a name that nobody changed is not in the event of what did change`() async throws {
    try await CommandSetup.run { setup in
      try await setup.done(
        ["user", "add", "babs", "--mail", "babs@example.com", "--password-stdin"], input: Self.password + "\n"
      )
      try await setup.done(["user", "disable", "babs"])
      try await setup.done(["user", "enable", "babs"])
      let told = try await setup.tool.run(
        ["events", "--json", "--data", setup.data, "--event", "account.changed"])
      let members = told.output.split(separator: "\n").compactMap { line in
        (try? JSONValue(parsing: String(line)))?["detail"]?["members"]
      }
      #expect(members == [["inetUserStatus"], ["inetUserStatus"]], "\(told.output)")
    }
  }
}
