package import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A program that this one started. It blocks no signals.
///
/// Foundation's `Process` is not used: its `waitUntilExit()` runs the thread's run loop, and on Swift's own threads
/// occasionally never returns.
package struct SpawnedProgram: Sendable {
  /// The destination or source of one of the program's three standard streams.
  package enum Stream: Sendable {
    /// `/dev/null`.
    case nothing
    /// The same stream as in this process.
    case inherited
    case descriptor(Int32)
    /// An existing device file, such as a terminal.
    case device(String)
    /// A file that takes what is written; earlier content is lost.
    case file(URL)
    /// For standard error: where standard output goes.
    case output
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package let identifier: pid_t

  /// Keeps programs from being spawned while a pipe is made: they would inherit the pipe before its close-on-exec flag is set.
  private static let spawning = NSLock()

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: A path, or a name that is looked for in `PATH`.
  ///   - name: The program's name for itself, its argument 0, when that is not `program`.
  ///   - environment: All of its variables.
  ///   - leadsSession: Whether it leads a session, so that the first terminal it opens controls it.
  ///   - inherits: Whether it gets this process's other open files that are not marked close-on-exec.
  package init(
    _ program: String, _ arguments: [String], name: String? = nil, environment: [String: String],
    input: Stream = .nothing, output: Stream, errors: Stream, leadsSession: Bool = false,
    inherits: Bool = false
  ) throws {
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      // POSIX_SPAWN_SETSID, which Glibc's module leaves out.
      let session: Int32 = 0x80
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
      let session = POSIX_SPAWN_SETSID
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (target, stream) in [(0, input), (1, output), (2, errors)] as [(Int32, Stream)] {
      switch stream {
      case .nothing: posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0)
      case .inherited: break
      case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, target)
      case .device(let path): posix_spawn_file_actions_addopen(&actions, target, path, O_RDWR, 0)
      case .file(let url):
        posix_spawn_file_actions_addopen(&actions, target, url.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      case .output: posix_spawn_file_actions_adddup2(&actions, 1, target)
      }
    }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The thread that spawns blocks some signals.
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    let flags = Int32(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | (leadsSession ? session : 0)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let words = ([name ?? program] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var identifier = pid_t()
    let result = Self.spawning.withLock {
      // A listening socket that the program inherited would keep its port from the next server.
      let open = inherits ? [] : try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      for name in open ?? [] {
        if let other = Int32(name), other > 2 { posix_spawn_file_actions_addclose(&actions, other) }
      }
      return posix_spawnp(&identifier, program, &actions, &attributes, words, variables)
    }
    guard result == 0 else {
      throw Failure(description: "\(program) does not start: \(String(cString: strerror(result)))")
    }
    self.identifier = identifier
  }

  /// The variables of this process, with `changes`.
  package static func environment(_ changes: [String: String]) -> [String: String] {
    ProcessInfo.processInfo.environment.merging(changes) { $1 }
  }

  /// Creates a pipe whose ends are inherited only by the program that they are given to.
  package static func pipe() throws -> (reading: Int32, writing: Int32) {
    try spawning.withLock {
      var ends: [Int32] = [-1, -1]
      guard Foundation.pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return (ends[0], ends[1])
    }
  }

  package func send(_ signal: Int32) { _ = kill(identifier, signal) }

  /// Waits on this thread until the program has ended. Call it once.
  ///
  /// - Returns: Its exit code, or 128 and the signal that ended it.
  @discardableResult package func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return Self.code(status)
  }

  /// Waits for the end on a thread of its own. Call it once.
  @discardableResult package func end() async -> Int32 {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: wait()) }
    }
  }

  /// The result of ``wait()`` if the program has ended, else `nil`. Do not call it again after it returned a code.
  package func codeIfEnded() -> Int32? {
    var status: Int32 = 0
    return waitpid(identifier, &status, WNOHANG) == identifier ? Self.code(status) : nil
  }

  private static func code(_ status: Int32) -> Int32 {
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}
