import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// What commands say, where that was wrong, misleading or missing.
@Suite struct PlainAnswerTests {
  // Under systemd, python and many others SIGPIPE is ignored: the write fails then, and the program went down with a backtrace.
  @Test func `a reader that has gone away ends the command quietly, also where SIGPIPE is ignored`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let program = """
        import os, subprocess, sys
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(sys.argv[1:], stdout=writing, stderr=subprocess.PIPE, restore_signals=False)
        sys.stdout.write(f"{done.returncode} {done.stderr.decode()}")
        """
      var environment = ProcessInfo.processInfo.environment
      environment["SEALRING_HOME"] = folder.path(percentEncoded: false)
      let result = try await RunningCommand(
        path: "/usr/bin/python3",
        arguments: ["-c", program, CommandLineTool.binary.path(percentEncoded: false), "config", "show"],
        environment: environment, input: ""
      ).finish()
      #expect(result.output == "141 ", "\(result.output) \(result.errors)")
    }
  }

  @Test func `a server that stops says so in its events`() async throws {
    try await withTemporaryFolder { folder in
      let server = try await ServerProcess.start(data: folder)
      _ = await server.stop()
      let events = try await CommandLineTool(home: folder.appending(path: "client")).run([
        "events", "--data", folder.path(percentEncoded: false), "--json", "--event", "server.",
      ])
      let kinds = try events.output.split(separator: "\n").map { try JSONValue(parsing: String($0))["event"] }
      #expect(kinds == ["server.started", "server.stopped"], "\(events.output)")
    }
  }

  @Test func `no words of the frameworks for a folder that is not there, and for TLS that is not spoken`()
    async throws
  {
    try await CommandSetup.run { setup in
      let journeys = try await setup.tool.run([
        "serve", "--port", "0", "--journeys", "/nowhere", "--data",
        setup.folder.appending(path: "other").path(percentEncoded: false),
      ])
      #expect(
        journeys.status == 1
          && journeys.errors.contains("/nowhere cannot be read: No such file or directory."),
        "\(journeys.errors)")
      let tls = try await setup.tool.run([
        "journey", "run", "Login", "--server", setup.server.address.replacing("http:", with: "https:"),
        "--json",
      ])
      #expect(tls.errors.contains("does not use TLS") && !tls.errors.contains("(-1)"), "\(tls.errors)")
    }
  }
}
