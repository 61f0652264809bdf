import CommonFixtures
import Foundation
import Testing

/// `sealring load` against `sealring serve`, each scenario with a few devices.
@Suite struct LoadCommandTests {
  @Test func `another machine is loaded only when somebody says so`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let bind = ["load", "bind", "--server", "https://server.invalid/am", "--devices", "1"]
      let asked = try await tool.run(bind + ["--json"])
      #expect(asked.status == 1 && asked.errors.contains("--yes") && asked.errors.contains("server.invalid"))
      #expect(asked.errors.contains(#""code":"cancelled""#))
      let terminal = try TerminalCommand(tool, bind)
      _ = await terminal.read(until: "(y/n)")
      terminal.type("n\n")
      let declined = await terminal.finish()
      #expect(declined.status == 1 && declined.shown.contains("Nothing was loaded"), "\(declined.shown)")
      // With consent it is tried.
      let tried = try await tool.run(bind + ["--json", "--yes"])
      #expect(tried.status == 1 && tried.errors.contains(#""code":"unreachable""#), "\(tried.errors)")
    }
  }

  /// A terminal whose last line can change, whatever the tests run on.
  private func terminal(_ scene: LoadScene<CommandLineTool, ServerProcess>) -> CommandLineTool {
    var tool = scene.setup.tool
    tool.environment.merge(["TERM": "xterm", "ACCESSIBLE": ""]) { $1 }
    return tool
  }

  /// Reads what a load shows until runs have ended.
  private func waitForRuns(_ load: TerminalCommand) async {
    var shown = ""
    repeat {
      shown = await load.read(until: " busy")
    } while !shown.isEmpty && !shown.contains(/[1-9]\d* runs,/)
  }

  @Test func `Ctrl-C ends a load and prints what was done`() async throws {
    try await LoadScene<CommandLineTool, ServerProcess>.run { scene in
      _ = try await scene.report("bind", ["--password-stdin"])
      let load = try TerminalCommand(
        terminal(scene),
        ["load", "sign-in", "--rate", "20", "--duration", "1h"] + scene.devices + scene.setup.at)
      await waitForRuns(load)
      load.type("\u{3}")
      let (status, shown) = await load.finish()
      #expect(status == 0 && shown.contains("was interrupted"), "\(shown)")
      #expect(shown.contains("sign challenge"), "\(shown)")
    }
  }

  @Test func `a server that goes away ends a load with the report`() async throws {
    try await LoadScene<CommandLineTool, ServerProcess>.run { scene in
      _ = try await scene.report("bind", ["--password-stdin"])
      let load = try TerminalCommand(
        terminal(scene),
        ["load", "sign-in", "--rate", "20", "--duration", "1h", "--give-up-after", "1"] + scene.devices
          + scene.setup.at)
      await waitForRuns(load)
      await scene.setup.server.kill()
      let (status, shown) = await load.finish()
      #expect(status == 1 && shown.contains("went away") && shown.contains("whole run"), "\(shown)")
    }
  }
}
