import CommonFixtures
import Concurrency
import Foundation
import JourneyScripts
import StrictJSON
import Testing

/// A script that has taken its worker over can make it say anything.
@Suite struct LyingWorkersTests {
  private static let kept = Locked<[TemporaryFolder]>([])

  @Test func `one that logs nothing without end comes to an end`() async throws {
    let nothing = Self.message("L", "")
    let error = await #expect(throws: ScriptError.self) {
      try await Self.run(
        "while :; do printf '\(String(repeating: nothing, count: 2000))' >&0; done")
    }
    #expect(error?.reason == .output)
    #expect(error?.log == [])
  }

  @Test func `of one that logs more than a script may, no more is kept than that`() async throws {
    let line = Self.message("L", #"{"level":"info","text":"\#(String(repeating: "x", count: 984))"}"#)
    let output = try await Self.run(
      "for i in 1 2 3 4 5 6 7 8 9 10; do printf '\(String(repeating: line, count: 10))' >&0; done; "
        + "printf '\(Self.message("D", "{}"))' >&0; read -r rest")
    // Each counts 1000 characters, and the one that passes the limit is the last.
    #expect(output.log.count == 66)
  }

  @Test func `a level that scripts do not have is no line, whatever it would write`() async throws {
    let lines = ["critical", String(repeating: "x", count: 1000), "info"].map {
      Self.message("L", #"{"level":"\#($0)","text":"t"}"#)
    }
    let output = try await Self.run(
      "printf '\(lines.joined())\(Self.message("D", "{}"))' >&0; read -r rest")
    #expect(output.log == [ScriptLogLine(level: "info", text: "t")])
  }

  @Test func `one that speaks all the time is held to its time, too`() async throws {
    let nothing = Self.message("L", "")
    var limits = Scripts.limits
    limits.output = 2 << 30
    limits.time = .milliseconds(1)
    let error = await #expect(throws: ScriptError.self) {
      // So many at once that the server is never done with them.
      try await Self.run(
        "while :; do printf '\(String(repeating: nothing, count: 2000))' >&0; done", limits: limits)
    }
    #expect(error?.reason == .time)
  }

  @Test func `what one says after its run is no part of the next`() async throws {
    let (mine, yours) = (#"{"outcome":"mine"}"#, #"{"outcome":"yours"}"#)
    let workers = try await Self.workers(
      "printf '\(Self.message("D", mine))\(Self.message("D", yours))' >&0; read -r rest",
      limits: Scripts.limits)
    func outcome() async throws -> JSONValue? {
      try await workers.run(
        ScriptRun(name: "Test", source: "", isLegacy: false), calls: NoScriptCalls()
      ).decision["outcome"]
    }
    #expect(try await outcome() == "mine")
    #expect(try await outcome() == "mine")
    #expect(workers.starts == 2)
  }

  /// Runs a script in a worker that is ready, and then does what `lie` says in the language of `sh`.
  private static func run(
    _ lie: String, limits: ScriptLimits = Scripts.limits
  ) async throws -> ScriptOutput {
    try await workers(lie, limits: limits).run(
      ScriptRun(name: "Test", source: "", isLegacy: false), calls: NoScriptCalls())
  }

  private static func workers(_ lie: String, limits: ScriptLimits) async throws -> ScriptWorkers {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let program = folder.url.appending(path: "worker")
    let text = "#!/bin/sh\nprintf '\(message("Y", ""))' >&0\n\(lie)\n"
    // Another program writes it: what this process writes may still be open in one that another test spawns, and does not start then.
    let path = program.path(percentEncoded: false)
    let writing = try SpawnedProgram(
      "/bin/sh", ["-c", "printf %s \"$1\" > \"$2\" && chmod 700 \"$2\"", "sh", text, path],
      environment: SpawnedProgram.environment([:]), output: .inherited, errors: .inherited)
    try #require(await writing.end() == 0)
    let workers = ScriptWorkers(program: path, count: 1, limits: limits)
    // The folder goes with this function.
    kept.withLock { $0.append(folder) }
    return workers
  }

  /// A message as `printf` of `sh` writes it: the length in four bytes, the kind, the text.
  private static func message(_ kind: String, _ text: String) -> String {
    let length = stride(from: 24, through: 0, by: -8).map {
      let octal = String(text.utf8.count >> $0 & 255, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - octal.count) + octal
    }
    return length.joined() + kind + text
  }
}
