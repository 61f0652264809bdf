import CommonFixtures
import Concurrency
import Foundation
import JourneyScripts
import StrictJSON
import Testing

@Suite struct ScriptWorkersTests {
  @Test func `a worker is started when it is needed and used again`() async throws {
    let scripts = Scripts(count: 3)
    #expect(scripts.workers.processes.isEmpty)
    for _ in 0..<5 { #expect(try await scripts.outcome(of: "action.goTo('yes')") == "yes") }
    #expect(scripts.workers.starts == 1)
    #expect(scripts.workers.processes.count == 1)
  }

  @Test func `many runs at once get no more processes than there may be`() async throws {
    var limits = Scripts.limits
    limits.time = .seconds(5)
    let scripts = Scripts(count: 2, limits: limits)
    let outcomes = try await withThrowingTaskGroup(of: String?.self) { group in
      for number in 0..<60 { group.addTask { try await scripts.outcome(of: "action.goTo('\(number)')") } }
      return try await group.reduce(into: Set<String>()) { if let outcome = $1 { $0.insert(outcome) } }
    }
    #expect(outcomes.count == 60)
    #expect(scripts.workers.starts <= 2)
  }

  /// The engine collects on a thread of its own, which lets the script's stand still meanwhile. A thread that may not wait for that goes
  /// on while its stack is read, and takes the worker down.
  @Test func `garbage is collected on another thread without harm to any run`() async throws {
    let scripts = Scripts()
    for _ in 0..<200 {
      let littering = "const all = []; for (let i = 0; i < 20000; i++) all.push({ i, text: `${i}` });"
      #expect(try await scripts.outcome(of: littering + " action.goTo(`${all.length}`)") == "20000")
    }
    #expect(scripts.workers.starts == 1)
  }

  @Test func `nothing of a run is there in the next one`() async throws {
    let scripts = Scripts()
    let output = try await scripts.run(
      """
      globalThis.left = 1; Object.prototype.left = 2; String.prototype.left = 3; JSON.parse = null;
      nodeState.putShared("left", 4); action.goTo("first")
      """)
    #expect(output.decision["outcome"] == "first")
    #expect(
      try await scripts.outcome(
        of: """
          action.goTo([typeof left, typeof {}.left, typeof "".left, typeof JSON.parse, nodeState.get("left")].join())
          """) == "undefined,undefined,undefined,function,")
    #expect(scripts.workers.starts == 1)
  }

  @Test func `a worker that is killed costs its own run and is replaced`() async throws {
    let scripts = Scripts()
    #expect(try await scripts.outcome(of: "action.goTo('one')") == "one")
    let process = try #require(scripts.workers.processes.first)
    let calls = Calls { _, _ in
      kill(process, SIGKILL)
      return .null
    }
    let error = await #expect(throws: ScriptError.self) {
      try await scripts.run("utils.crypto.randomUUID(); for(;;){}", calls: calls)
    }
    #expect(error?.reason == .worker)
    #expect(try await scripts.outcome(of: "action.goTo('two')") == "two")
    #expect(scripts.workers.starts == 2)
  }

  @Test func `a run after one that cost its worker waited for the replacement, although another was ready`()
    async throws
  {
    let folder = try TemporaryFolder.make()
    let program = folder.url.appending(path: "ScriptHost")
    try FileManager.default.createSymbolicLink(atPath: program.path, withDestinationPath: Scripts.program)
    let workers = ScriptWorkers(program: program.path, count: 2, limits: Scripts.limits)
    func run(_ source: String, calls: any ScriptCalls = NoScriptCalls()) async throws -> ScriptOutput {
      try await workers.run(ScriptRun(name: "Test", source: source, isLegacy: false), calls: calls)
    }
    // Both at once, so that there are two.
    let (begun, release) = (Signal(), Signal())
    async let first = run("utils.crypto.randomUUID()", calls: Waiting(begun: begun, release: release))
    await begun.wait()
    _ = try await run("action.goTo('second')")
    release.fire()
    _ = try await first
    #expect(workers.processes.count == 2)
    // None can be started any more: only the other worker can go on.
    try FileManager.default.removeItem(at: program)
    await #expect(throws: ScriptError.self) { try await run("/(a+)+b/.exec('a'.repeat(60))") }
    for _ in 0..<5 {
      #expect(try await run("action.goTo('next')").decision["outcome"] == "next")
    }
    workers.close()
    withExtendedLifetime(folder) {}
  }

  @Test func `beyond the runs that may wait, a run is refused at once`() async throws {
    var limits = Scripts.limits
    (limits.waiting, limits.time) = (0, limits.wallTime)
    let scripts = Scripts(limits: limits)
    let begun = Signal()
    let calls = Calls { _, _ in
      begun.fire()
      return .null
    }
    let first = Task { try await scripts.run("utils.crypto.randomUUID(); for (;;) {}", calls: calls) }
    await begun.wait()
    let error = try await scripts.failure(of: "action.goTo('second')")
    #expect(error.reason == .busy)
    for process in scripts.workers.processes { kill(process, SIGKILL) }
    await #expect(throws: ScriptError.self) { try await first.value }
  }

  @Test func `runs that wait for another host hold nobody's scripts, and their processes end with them`()
    async throws
  {
    var limits = Scripts.limits
    limits.wallTime = .seconds(60)
    let scripts = Scripts(count: 2, limits: limits)
    let release = Signal()
    let waiting = (0..<3).map { _ in Waiting(begun: Signal(), release: release) }
    try await withThrowingTaskGroup { group in
      for calls in waiting {
        group.addTask { try await scripts.run("utils.crypto.randomUUID(); action.goTo('x')", calls: calls) }
      }
      for calls in waiting { await calls.begun.wait() }
      #expect(try await scripts.outcome(of: "action.goTo('other')") == "other")
      #expect(scripts.workers.processes.count > 2)
      release.fire()
      for try await output in group { #expect(output.decision["outcome"] == "x") }
    }
    #expect(scripts.workers.processes.count == 2)
  }

  @Test func `one realm's runs leave workers to the others`() async throws {
    var limits = Scripts.limits
    limits.wallTime = .seconds(60)
    let scripts = Scripts(count: 1, limits: limits)
    let (begun, release) = (Locked(0), Signal())
    let calls = Waiting(begun: Signal(), release: release, count: begun)
    try await withThrowingTaskGroup { group in
      for _ in 0..<6 {
        group.addTask {
          _ = try await scripts.run("utils.crypto.randomUUID()", calls: calls, ["realm": "/alpha"])
        }
      }
      // Of the four processes two are for one realm.
      try await eventually("two runs wait for the answer") { begun.withLock { $0 } == 2 }
      #expect(try await scripts.outcome(of: "action.goTo('beta')", ["realm": "/beta"]) == "beta")
      #expect(begun.withLock { $0 } == 2)
      release.fire()
      try await group.waitForAll()
    }
    #expect(begun.withLock { $0 } == 6)
  }

  @Test func `each realm may hold as many places as are still free`() {
    var shares = RealmShares(limit: 8)
    func taken(_ realm: String) -> Int { (0..<10).count { _ in shares.take(for: realm) } }
    #expect(["a", "b", "c", "d", "e"].map(taken) == [4, 2, 1, 1, 0])
    shares.giveBack(of: "a")
    shares.giveBack(of: "nobody")
    #expect(taken("a") == 0 && taken("e") == 1 && shares.total == 8)
  }

  /// Says that it was called, and answers when it is let.
  private struct Waiting: ScriptCalls {
    let begun: Signal
    let release: Signal
    var count = Locked(0)

    func answer(_ function: String, _ arguments: [JSONValue]) async throws -> JSONValue {
      count.withLock { $0 += 1 }
      begun.fire()
      await release.wait()
      return .null
    }
  }

  @Test func `closed workers leave no process`() async throws {
    let scripts = Scripts()
    _ = try await scripts.outcome(of: "action.goTo('one')")
    let process = try #require(scripts.workers.processes.first)
    scripts.workers.close()
    // The thread ends the process and reaps it.
    try await eventually("the worker's process is gone") { kill(process, 0) != 0 }
    let error = try await scripts.failure(of: "1")
    #expect(error.reason == .unavailable)
  }

  @Test func `a program that is no worker is said so`() async throws {
    let workers = ScriptWorkers(program: "/bin/true")
    let error = await #expect(throws: ScriptError.self) {
      try await workers.run(ScriptRun(name: "x", source: "1", isLegacy: false), calls: NoScriptCalls())
    }
    #expect(error?.reason == .unavailable)
    #expect(error?.description.contains("/bin/true") == true)
  }

  @Test func `a worker started by hand says whom it is for`() async throws {
    let process = Process()
    process.executableURL = URL(filePath: Scripts.program)
    process.arguments = ["script-worker"]
    process.standardInput = FileHandle.nullDevice
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = try errors.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) }
    process.waitUntilExit()
    #expect(process.terminationStatus == 64)
    #expect(text?.contains("for the server") == true)
  }

  #if os(Linux)
    @Test func `a worker that died while it was idle costs nobody's run`() async throws {
      let scripts = Scripts()
      #expect(try await scripts.outcome(of: "action.goTo('one')") == "one")
      let process = try #require(scripts.workers.processes.first)
      kill(process, SIGKILL)
      // Dead, and not yet waited for. Its other threads have the pipes open until they have ended, too.
      try await eventually("the process is dead") {
        try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).contains(") Z ")
          && FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").count == 1
      }
      #expect(try await scripts.outcome(of: "action.goTo('two')") == "two")
      #expect(scripts.workers.starts == 2)
    }

    @Test func `a server that is killed leaves no worker`() async throws {
      let folder = try TemporaryFolder.make()
      try folder.write(Array("for (;;) {}".utf8), to: "endless.js")
      let server = Process()
      server.executableURL = URL(filePath: Scripts.program)
      server.arguments = [folder.file("endless.js").path(percentEncoded: false)]
      server.standardOutput = FileHandle.nullDevice
      server.standardError = FileHandle.nullDevice
      try server.run()
      defer { if server.isRunning { server.terminate() } }
      var worker: Int32?
      try await eventually("the server has a worker, or has ended") {
        worker = Self.workers(of: server.processIdentifier).first
        return worker != nil || !server.isRunning
      }
      let found = try #require(worker)
      kill(server.processIdentifier, SIGKILL)
      try await eventually("the worker is gone, too") { !Self.isWorker(found) }
    }

    /// Whether the process is a worker and runs.
    private static func isWorker(_ process: Int32) -> Bool {
      let command = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
      return command.contains("script-worker")
    }

    private static func workers(of server: Int32) -> [Int32] {
      let numbers = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap {
        Int32($0)
      }
      return numbers.filter { process in
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        return status.contains("PPid:\t\(server)\n") && isWorker(process)
      }
    }

    @Test func `a worker has an empty environment, no files and no new rights`() async throws {
      let scripts = Scripts()
      let facts = Locked<[String: String]>([:])
      let workers = scripts.workers
      // While the worker waits for this answer, it stands still.
      let calls = Calls { _, _ in
        guard let process = workers.processes.first else { return .null }
        for name in ["environ", "status", "limits"] {
          let text = (try? String(contentsOfFile: "/proc/\(process)/\(name)", encoding: .utf8)) ?? ""
          facts.withLock { $0[name] = text }
        }
        let folder = "/proc/\(process)/fd"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let targets = files.compactMap {
          try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
        facts.withLock { $0["files"] = Set(targets).sorted().joined(separator: "\n") }
        return .null
      }
      _ = try await scripts.run("utils.crypto.randomUUID(); action.goTo('x')", calls: calls)
      let found = facts.withLock { $0 }
      // Only what the server says itself; nothing of this process's.
      let variables = try #require(found["environ"]).split(separator: "\0").map { $0.prefix { $0 != "=" } }
      #expect(Set(variables) == ["SEALRING_SCRIPT_SECONDS", "JSC_useJIT", "SWIFT_BACKTRACE"])
      #expect(found["status"]?.contains("NoNewPrivs:\t1") == true)
      #expect(found["status"]?.contains("Seccomp:\t2") == true)
      // The socket to the server, and what the engine opened for itself.
      let files = (found["files"] ?? "").split(separator: "\n")
      #expect(files.count { $0.hasPrefix("socket:") } == 1)
      for file in files where !file.hasPrefix("socket:") {
        #expect(
          ["/dev/null", "/dev/urandom", "anon_inode:[eventfd]"].contains(file) || file.hasSuffix("/statm"),
          "\(file)")
      }
      let core = found["limits"]?.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
      #expect(core?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
    }
  #endif
}
