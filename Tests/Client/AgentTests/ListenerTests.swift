#if os(Linux)
  import CommonFixtures
  import Foundation
  import RuntimeLibraries
  import SSHFormats
  import StrictJSON
  import Testing

  @testable import Agent

  struct ListenerTests {
    private func withListener(
      _ body: (_ path: String, _ listener: AgentListener, _ scene: AgentScene) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        let scene = try await AgentScene(answers: [], log: folder.appending(path: "log"))
        let file = folder.appending(path: "run/ssh-agent.socket")
        let listener = AgentListener(
          try AgentSocket.listen(at: file), log: scene.questions.log, clock: { scene.date.now }
        ) {
          scene.agent.conversation(with: $0)
        }
        listener.start()
        defer { listener.stop() }
        try await body(file.path(percentEncoded: false), listener, scene)
      }
    }

    /// What waits for the agent does so beside the threads that the agent's tasks share.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
      }
    }

    private static func connect(_ path: String) -> Int32 {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard AgentSocket.withAddress(of: path, { Foundation.connect(descriptor, $0, $1) }) == true else {
        close(descriptor)
        return -1
      }
      // No test waits for ever.
      var limit = timeval(tv_sec: 30, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      return descriptor
    }

    /// What the agent answers to `bytes`; empty when it closes the connection.
    private func exchange(_ bytes: [UInt8], at connection: Int32) async -> [UInt8] {
      await onThread {
        _ = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { recv(connection, $0.baseAddress, $0.count, 0) }
        return Array(buffer[..<max(0, count)])
      }
    }

    private let identities: [UInt8] = [0, 0, 0, 1, 11]
    /// A sign-in without its parts: a failure, which is in the log.
    private let malformed: [UInt8] = [0, 0, 0, 1, 13]

    @Test func `only its owner can enter the folder and use the socket`() async throws {
      try await withListener { path, _, scene in
        let socket = try FileManager.default.attributesOfItem(atPath: path)
        #expect(socket[.posixPermissions] as? Int == 0o600)
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        let around = try FileManager.default.attributesOfItem(atPath: folder)
        #expect(around[.posixPermissions] as? Int == 0o700)
        let connection = Self.connect(path)
        defer { close(connection) }
        let identity = AgentReply.Identity(blob: scene.key.publicKey.blob, comment: "laptop")
        #expect(await exchange(identities, at: connection) == AgentReply.identities([identity]).framed)
      }
    }

    @Test(arguments: [[0xFF, 0xFF, 0xFF, 0xFF], [0, 4, 0, 1], [0, 0, 0, 0]] as [[UInt8]])
    func `a message whose length lies is a failure and the end of the connection`(length: [UInt8])
      async throws
    {
      try await withListener { path, _, _ in
        let connection = Self.connect(path)
        defer { close(connection) }
        #expect(await exchange(length + [11], at: connection) == AgentReply.failure.framed)
        #expect(await exchange(identities, at: connection) == [])
        let next = Self.connect(path)
        defer { close(next) }
        #expect(await !exchange(identities, at: next).isEmpty)
      }
    }

    @Test func `after eight failures a process is not answered for a minute, on whichever connection`()
      async throws
    {
      try await withListener { path, _, scene in
        let (one, other) = (Self.connect(path), Self.connect(path))
        defer { for connection in [one, other] { close(connection) } }
        #expect(await !exchange(identities, at: one).isEmpty)
        for number in 1...CallerLimits.mostFailures {
          let connection = number.isMultiple(of: 2) ? one : other
          #expect(await exchange(malformed, at: connection) == AgentReply.failure.framed)
        }
        #expect(await exchange(identities, at: one) == [])
        #expect(await exchange(identities, at: other) == [])
        for seconds in [0.0, 59] {
          scene.date.advance(by: seconds)
          let next = Self.connect(path)
          #expect(await exchange(identities, at: next) == [])
          close(next)
        }
        scene.date.advance(by: 2)
        let next = Self.connect(path)
        defer { close(next) }
        #expect(await !exchange(identities, at: next).isEmpty)
      }
    }

    // All channels of a host to which the agent was forwarded are connections of one process.
    @Test func `one process cannot push older lines out of the log`() async throws {
      try await withListener { path, _, scene in
        let caller = Caller(user: 0, process: 7, executable: "/usr/bin/ssh")
        scene.questions.log.refuse(caller, "older", "")
        for _ in 0..<500 {
          let connection = Self.connect(path)
          for _ in 0..<8 { if await exchange(malformed, at: connection).isEmpty { break } }
          close(connection)
        }
        let log = URL(filePath: path).deletingLastPathComponent().deletingLastPathComponent()
          .appending(path: "log")
        let entries = try AgentLog.entries(in: log, last: 10_000)
        #expect(entries.first?["purpose"] == "older")
        #expect(entries.count == 1 + CallerLimits.mostFailures + 1)
        let note = try #require(entries.last)
        #expect(note["purpose"] == "connections")
        #expect(note["reason"]?.stringValue?.hasSuffix("not answered for 1 minute.") == true)
      }
    }

    @Test func `idle connections of one process leave places for another one`() async throws {
      try await withListener { path, listener, _ in
        let idle = await onThread { (0..<CallerLimits.mostConnections).map { _ in Self.connect(path) } }
        defer { for connection in idle { close(connection) } }
        let answered = try await python(
          Self.ask, path, in: URL(filePath: path).deletingLastPathComponent())
        #expect(answered == "4\n")
        #expect(listener.connections <= CallerLimits.mostOfProcess + 1)
      }
    }

    @Test func `of ten thousand connections some are served, and afterwards the next one is`() async throws {
      try await withListener { path, listener, _ in
        let connections = await onThread { (0..<10_000).map { _ in Self.connect(path) } }
        #expect(await !exchange(identities, at: connections[0]).isEmpty)
        #expect(await exchange(identities, at: connections[9_999]).isEmpty)
        #expect(listener.connections <= CallerLimits.mostOfProcess)
        for connection in connections { close(connection) }
        try await eventually("all connections ended") { listener.connections == 0 }
        let next = Self.connect(path)
        defer { close(next) }
        #expect(await !exchange(identities, at: next).isEmpty)
      }
    }

    @Test func `a folder that others use keeps its mode`() throws {
      try withTemporaryFolder { folder in
        let (shared, file) = (folder.appending(path: "run"), folder.appending(path: "run/a.socket"))
        try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: false)
        for (mode, isFit) in [(0o755, true), (0o711, true), (0o775, false), (0o757, false), (0o1777, false)] {
          try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: shared.path)
          if isFit {
            close(try AgentSocket.listen(at: file).descriptor)
            #expect(try Self.mode(of: file) == 0o600)
            for file in [file.path, file.path + ".lock"] { try FileManager.default.removeItem(atPath: file) }
          } else {
            #expect(throws: AgentError.self) { try AgentSocket.listen(at: file) }
          }
          #expect(try Self.mode(of: shared) == mode)
        }
      }
    }

    private static func mode(of file: URL) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test func `another user's process gets nothing, even where the folder lets it in`() async throws {
      try #require(geteuid() == 0, "only root can start a process as another user")
      try await withListener { path, _, _ in
        let folder = URL(filePath: path).deletingLastPathComponent()
        let ask = "SSH_AUTH_SOCK=\(path) exec setpriv --reuid=65534 --regid=65534 --clear-groups ssh-add -l"
        let shut = try SpawnedProgram(
          "/bin/sh", ["-c", ask], environment: SpawnedProgram.environment([:]), output: .nothing,
          errors: .nothing)
        #expect(await shut.end() == 2)
        // As if somebody had opened every door on the way.
        var above = folder
        while above.path != "/tmp", above.path != "/" {
          chmod(above.path(percentEncoded: false), 0o755)
          above.deleteLastPathComponent()
        }
        chmod(path, 0o666)
        let open = try SpawnedProgram(
          "/bin/sh", ["-c", ask], environment: SpawnedProgram.environment([:]), output: .nothing,
          errors: .nothing)
        #expect(await open.end() != 0)
        let own = try SpawnedProgram(
          "ssh-add", ["-l"], environment: SpawnedProgram.environment(["SSH_AUTH_SOCK": path]),
          output: .nothing, errors: .nothing)
        #expect(await own.end() == 0)
      }
    }

    /// Python that has connected as `s`, and what it prints.
    private func python(_ lines: [String], _ path: String, in folder: URL) async throws -> String {
      let output = folder.appending(path: "output")
      let program = try SpawnedProgram(
        "/usr/bin/python3",
        [
          "-c",
          (["import os, select, socket, sys", "s = socket.socket(socket.AF_UNIX)", "s.connect(sys.argv[1])"]
            + lines).joined(separator: "\n"), path,
        ],
        environment: SpawnedProgram.environment([:]), output: .file(output), errors: .output)
      await program.end()
      return try String(contentsOf: output, encoding: .utf8)
    }

    private static let ask = ["s.settimeout(20)", "s.send(b'\\0\\0\\0\\1\\x0b')", "print(len(s.recv(4)))"]

    @Test func `a program that ends takes its connection with it, and a fork that outlives it gets nothing`()
      async throws
    {
      try await withListener { path, listener, _ in
        let folder = URL(filePath: path).deletingLastPathComponent()
        let answered = try await python(Self.ask, path, in: folder)
        #expect(answered == "4\n")
        let fork = [
          "s.recv(4096)", "sys.stdout.flush()", "parent = os.getpid()", "if os.fork() != 0: os._exit(0)",
          "while os.getppid() == parent: select.select([], [], [], 0.01)", "try:",
        ]
        _ = try await python(
          Self.ask + fork + Self.ask.map { "  " + $0 } + [
            "except OSError: print(0)", "open(sys.argv[1] + '.done', 'w')",
          ], path, in: folder)
        try await eventually("the fork has asked") {
          FileManager.default.fileExists(atPath: path + ".done")
        }
        #expect(try String(contentsOf: folder.appending(path: "output"), encoding: .utf8) == "4\n0\n")
        try await eventually("its connection ended") { listener.connections == 0 }
      }
    }

    @Test func `a program that becomes another one gets nothing by its old connection`() async throws {
      try await withListener { path, _, _ in
        let folder = URL(filePath: path).deletingLastPathComponent()
        let become = [
          "os.dup2(s.fileno(), 5, inheritable=True)",
          "os.execv('/bin/sh', ['sh', '-c', '/usr/bin/printf \"\\\\0\\\\0\\\\0\\\\1\\\\13\" >&5; head -c 4 <&5 2>/dev/null | wc -c'])",
        ]
        let first = Self.ask + ["s.recv(4096)", "sys.stdout.flush()"]
        let shown = try await python(first + become, path, in: folder)
        #expect(shown.split(separator: "\n") == ["4", "0"])
      }
    }

    @Test func `the commands that control it are answered by its own user's agent only`() async throws {
      try await withTemporaryFolder { folder in
        let scene = try await AgentScene(answers: [])
        let file = AgentSocket.control(beside: folder.appending(path: "run/a.socket"))
        let message = AgentControl.Act.status.message
        #expect(throws: AgentError.self) { try AgentConnection.ask(message, at: file) }
        let listener = AgentListener(try AgentSocket.listen(at: file), log: scene.questions.log) { _ in
          AgentControl(questions: scene.questions, startedAt: Date())
        }
        listener.start()
        defer { listener.stop() }
        let answer = try await onThread { Result { try AgentConnection.ask(message, at: file) } }.get()
        #expect(String(decoding: answer, as: UTF8.self).contains(#""locked":false"#))
        let long = [UInt8](repeating: 32, count: AgentControl.maximumBytes + 1)
        #expect(
          try await onThread { Result { try AgentConnection.ask(long, at: file) } }.get()
            == AgentControl.refusal)
      }
    }

    @Test func `a second agent does not take the first one's socket, and one left behind is replaced`() throws
    {
      try withTemporaryFolder { folder in
        let file = folder.appending(path: "run/a.socket")
        let first = try AgentSocket.listen(at: file)
        #expect(throws: AgentError.self) { try AgentSocket.listen(at: file) }
        close(first.descriptor)
        try FileManager.default.removeItem(at: URL(filePath: file.path + ".lock"))
        _ = try AgentSocket.listen(at: file)
      }
    }

    @Test func `a socket of systemd is only taken by the process that it is for`() throws {
      #expect(try AgentSocket.passed([:]) == nil)
      #expect(try AgentSocket.passed(["LISTEN_PID": "1", "LISTEN_FDS": "1"]) == nil)
      #expect(throws: AgentError.self) {
        try AgentSocket.passed(["LISTEN_PID": String(getpid()), "LISTEN_FDS": "2"])
      }
    }
  }
#endif
