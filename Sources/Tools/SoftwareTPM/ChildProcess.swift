internal import Concurrency
package import Foundation
internal import RuntimeLibraries

/// A program that runs beside this one, and that the kernel ends when this process ends, however that happens.
///
/// Spawned and waited for on a thread of its own: `Foundation.Process` now and then misses an end, and what a thread of
/// Swift's starts inherits the signals that it blocks.
package final class ChildProcess: Sendable {
  private struct State {
    let program: SpawnedProgram
    /// Its exit code, or 128 and the signal that ended it.
    var status: Int32?
    var waiting: [CheckedContinuation<Int32, Never>] = []
  }

  private let state: Locked<State>

  private init(_ program: SpawnedProgram) { state = Locked(State(program: program)) }

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
          let child = ChildProcess(
            try SpawnedProgram(
              words[0], Array(words.dropFirst()), environment: SpawnedProgram.environment(environment),
              output: .file(output), errors: .output))
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
      if state.status == nil { state.program.send(SIGKILL) }
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
    let program = state.withLock { $0.program }
    var information = siginfo_t()
    // Leaves it unreaped.
    while waitid(P_PID, id_t(program.identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let (status, waiting) = state.withLock { state in
      let status = program.wait()
      state.status = status
      defer { state.waiting = [] }
      return (status, state.waiting)
    }
    for continuation in waiting { continuation.resume(returning: status) }
  }
}
