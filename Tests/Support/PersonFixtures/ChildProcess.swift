#if os(Linux)
  import Foundation

  /// A program that a test starts, ends and waits for on the thread it is on.
  ///
  /// Foundation's `Process.waitUntilExit()` runs the thread's run loop, and on Swift's own threads never returns now and
  /// then.
  struct ChildProcess {
    private let identifier: pid_t
    /// Where its standard output can be read.
    private let output: FileHandle

    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
      var ends: [Int32] = [-1, -1]
      try demand(pipe(&ends) == 0, "no pipe can be made")
      // Else the next program would hold them open.
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      defer { close(ends[1]) }
      output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
      let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      var words = ([program] + arguments).map { strdup($0) } + [nil]
      var settings = variables.map { strdup("\($0)=\($1)") } + [nil]
      defer { for text in words + settings { free(text) } }
      // A listening socket that it inherited would keep its port from the next server.
      for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
        if let other = Int32(name), other > 2 { posix_spawn_file_actions_addclose(&actions, other) }
      }
      var identifier: pid_t = 0
      let result = posix_spawn(&identifier, program, &actions, nil, &words, &settings)
      try demand(
        result == 0, "\(program) does not start: \(String(cString: strerror(result)))")
      self.identifier = identifier
    }

    /// The first part of what it prints, as soon as there is some; empty when it prints nothing.
    func firstOutput() -> String { String(decoding: output.availableData, as: UTF8.self) }

    /// The next line that it prints, without its end, however many writes it comes in; what was left when it ended.
    func nextLine() -> String {
      var line: [UInt8] = []
      while let byte = try? output.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") { line.append(byte) }
      return String(decoding: line, as: UTF8.self)
    }

    /// Waits for its end and returns everything that it printed.
    func finish() -> String {
      let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
      wait()
      return text
    }

    /// Ends it, and waits until it has ended.
    func end() {
      kill()
      wait()
    }

    /// Ends it; its place in the process table is kept for ``end()``. SIGTERM would not do: Swift's threads block it, and
    /// what they start inherits that.
    func kill() { _ = Glibc.kill(identifier, SIGKILL) }

    private func wait() {
      var status: Int32 = 0
      while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    }
  }

  /// Why a fixture cannot be set up.
  package struct FixtureError: Error, CustomStringConvertible {
    package let description: String
  }

  /// - Throws: ``FixtureError`` unless `condition` holds.
  func demand(_ condition: Bool, _ problem: @autoclosure () -> String) throws {
    guard condition else { throw FixtureError(description: problem()) }
  }
#endif
