internal import Foundation
internal import Locking

/// A program that ends when it is told to, and when this process ends.
///
/// A shell stands between: it kills the program as soon as the pipe to it closes, which the kernel does for a process that
/// was killed itself. `Foundation.Process` misses the end of programs now and then, and lets them inherit blocked signals.
final class ChildProcess: Sendable {
  private let identifier: pid_t
  private let state: Locked<State>

  private struct State {
    /// The pipe that keeps the program alive; -1 when it is closed.
    var lifeline: Int32
    /// As `waitpid` gives it, once it ended.
    var status: Int32?
  }

  private static let guardian = """
    "$@" </dev/null >/dev/null 2>&1 &
    child=$!
    (read -r _; kill -KILL $child) <&3 2>/dev/null &
    watch=$!
    exec 3<&-
    wait $child
    status=$?
    kill $watch 2>/dev/null
    exit $status
    """

  /// Starts `program`, a path, with nothing on its standard input and nobody reading its output.
  init(_ program: String, _ arguments: [String]) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw SoftwareTPMError("No pipe can be made: \(String(cString: strerror(errno)))")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[0], 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Swift's threads block signals, and what they start would inherit that.
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var words = (["/bin/sh", "-c", Self.guardian, "sh", program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var identifier: pid_t = 0
    let result = posix_spawn(&identifier, "/bin/sh", &actions, &attributes, &words, environ)
    close(ends[0])
    guard result == 0 else {
      close(ends[1])
      throw SoftwareTPMError("\(program) does not start: \(String(cString: strerror(result)))")
    }
    self.identifier = identifier
    state = Locked(State(lifeline: ends[1]))
  }

  deinit { end() }

  /// Whether it has not ended yet.
  var isRunning: Bool {
    state.withLock { state in
      guard state.status == nil else { return false }
      var status: Int32 = 0
      guard waitpid(identifier, &status, WNOHANG) != 0 else { return true }
      state.status = status
      return false
    }
  }

  /// Waits for its end; the exit code, or `nil` when a signal ended it.
  @discardableResult
  func wait() -> Int32? {
    state.withLock { state in
      if state.status == nil {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        state.status = status
      }
      let status = state.status ?? 0
      return status & 0x7f == 0 ? (status >> 8) & 0xff : nil
    }
  }

  /// Ends it, without waiting.
  func kill() {
    state.withLock { state in
      guard state.lifeline >= 0 else { return }
      close(state.lifeline)
      state.lifeline = -1
    }
  }

  /// Ends it, and waits until it has ended.
  func end() {
    kill()
    wait()
  }
}
