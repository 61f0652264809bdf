import Foundation
import Locking

/// A program that runs beside the test, without input and output.
///
/// Not Foundation's `Process`: its children inherit open connections, and its `waitUntilExit` can wait for them.
final class ChildProcess: Sendable {
  private enum State {
    case running(pid_t)
    case ended(status: Int32)
  }

  private let state: Locked<State>

  init(_ arguments: [String]) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    // Connections to other chips: one that a child keeps open never ends for the chip, which has time for one only.
    for descriptor: Int32 in 3...255 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var argv = arguments.map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    var pid = pid_t()
    guard posix_spawn(&pid, arguments[0], &actions, nil, &argv, environ) == 0 else {
      throw CocoaError(.executableNotLoadable)
    }
    state = Locked(.running(pid))
  }

  var isRunning: Bool { reap(WNOHANG) == nil }

  /// Its exit status, when it has ended.
  func wait() -> Int32 { reap(0) ?? -1 }

  /// Kills it: threads of a dispatch queue block the other signals, and children inherit that.
  func end() {
    state.withLock { if case .running(let pid) = $0 { kill(pid, SIGKILL) } }
    _ = wait()
  }

  private func reap(_ options: Int32) -> Int32? {
    state.withLock { state in
      guard case .running(let pid) = state else {
        if case .ended(let status) = state { return status }
        return nil
      }
      var status: Int32 = 0
      guard waitpid(pid, &status, options) == pid else { return nil }
      state = .ended(status: status)
      return status
    }
  }
}
