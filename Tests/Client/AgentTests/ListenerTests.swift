#if os(Linux)
  import CommonFixtures
  import Foundation
  import RuntimeLibraries
  import SSHFormats
  import Testing

  @testable import Agent

  struct ListenerTests {
    private func withListener(
      _ body: (_ path: String, _ listener: AgentListener, _ scene: AgentScene) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        let scene = try await AgentScene(answers: [])
        let file = folder.appending(path: "run/ssh-agent.socket")
        let listener = AgentListener(try AgentSocket.listen(at: file), agent: scene.agent)
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
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      let isConnected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      guard isConnected else {
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

    @Test func `only its owner can enter the folder and use the socket`() async throws {
      try await withListener { path, _, scene in
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        #expect(stat(folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
        let connection = Self.connect(path)
        defer { close(connection) }
        let line = AuthorizedKey(key: scene.key.publicKey, comment: "laptop")
        #expect(await exchange(identities, at: connection) == AgentReply.identities([line]).framed)
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

    @Test func `of a thousand connections some are served, and afterwards the next one is`() async throws {
      try await withListener { path, listener, _ in
        let connections = await onThread { (0..<1000).map { _ in Self.connect(path) } }
        #expect(await !exchange(identities, at: connections[0]).isEmpty)
        #expect(await exchange(identities, at: connections[999]).isEmpty)
        #expect(listener.connections <= AgentListener.maximumConnections)
        for connection in connections { close(connection) }
        try await eventually("all connections ended") { listener.connections == 0 }
        let next = Self.connect(path)
        defer { close(next) }
        #expect(await !exchange(identities, at: next).isEmpty)
      }
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

    @Test(arguments: ["a%b\nc\u{1B}", "plain", "é"])
    func `what pinentry is told is one line, and what it says is read back`(text: String) {
      let escaped = Pinentry.escaped(text)
      #expect(!escaped.utf8.contains { $0 < 0x20 })
      #expect(Pinentry.unescaped(escaped.utf8) == Array(text.utf8))
      #expect(Pinentry.unescaped("%4".utf8) == nil && Pinentry.unescaped("%zz".utf8) == nil)
    }
  }
#endif
