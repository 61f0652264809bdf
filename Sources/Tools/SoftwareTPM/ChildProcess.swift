internal import Concurrency
package import Foundation

/// A program that runs beside this one, and that the kernel ends when this process ends, however that happens.
///
/// Spawned and waited for on a thread of its own: `Foundation.Process` now and then misses an end, and what a thread of
/// Swift's starts inherits the signals that it blocks.
package final class ChildProcess: Sendable {
  private struct State {
    let process: pid_t
    /// Its exit code, or 128 and the signal that ended it.
    var status: Int32?
    var waiting: [CheckedContinuation<Int32, Never>] = []
  }

  private let state: Locked<State>

  private init(_ process: pid_t) { state = Locked(State(process: process)) }

  /// Starts a program without input.
  ///
  /// - Parameters:
  ///   - program: A path.
  ///   - environment: What it gets besides, or in place of, the variables of this process.
  ///   - output: The file that takes what it writes, to either stream; what was in there goes.
  package static func start(
    _ program: String, _ arguments: [String], environment: [String: String] = [:], output: URL
  ) async throws -> ChildProcess {
    try await withCheckedThrowingContinuation { continuation in
      // The kernel's guard ends the program with the thread that started it, so the thread waits for it.
      Thread.detachNewThread {
        do {
          let words = guarded + [program] + arguments
          let child = ChildProcess(try spawn(words, environment, output: output))
          continuation.resume(returning: child)
          child.waitOnThisThread()
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  package var isRunning: Bool { state.withLock { $0.status == nil } }

  /// Kills it, unless it has ended.
  package func kill() {
    state.withLock { state in
      // It is reaped under this lock only, so the number is still its own.
      if state.status == nil { _ = Foundation.kill(state.process, SIGKILL) }
    }
  }

  /// Waits for its end.
  ///
  /// - Returns: Its exit code, or 128 and the signal that ended it.
  package func end() async -> Int32 {
    await withCheckedContinuation { continuation in
      let status = state.withLock { state -> Int32? in
        if state.status == nil { state.waiting.append(continuation) }
        return state.status
      }
      if let status { continuation.resume(returning: status) }
    }
  }

  /// `setpriv` sets the kernel's guard; without it, as on other systems, a killed test leaves the program running.
  private static let guarded: [String] = {
    guard let path = try? Program.path(of: "setpriv", package: "util-linux") else { return [] }
    return [path, "--pdeathsig", "KILL", "--"]
  }()

  private func waitOnThisThread() {
    let process = state.withLock { $0.process }
    var information = siginfo_t()
    // Leaves it unreaped.
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let (status, waiting) = state.withLock { state in
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7f
      let code = signal == 0 ? status >> 8 & 0xff : 128 + signal
      state.status = code
      defer { state.waiting = [] }
      return (code, state.waiting)
    }
    for continuation in waiting { continuation.resume(returning: status) }
  }

  private static func spawn(
    _ words: [String], _ environment: [String: String], output: URL
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // The peers of connections that it inherited would never see them end.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
      if let descriptor = Int32(name), descriptor > 2 {
        posix_spawn_file_actions_addclose(&actions, descriptor)
      }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let argv = words.map { strdup($0) } + [nil]
    let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var process: pid_t = 0
    let result = posix_spawn(&process, words[0], &actions, &attributes, argv, envp)
    guard result == 0 else {
      throw SoftwareTPMError("\(words[0]) does not start: \(String(cString: strerror(result)))")
    }
    return process
  }
}
