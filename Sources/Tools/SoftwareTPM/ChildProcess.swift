internal import Concurrency
package import Foundation
internal import RuntimeLibraries

/// A child process that the kernel ends when this process ends, in whatever way.
///
/// A separate thread starts it and waits for it: `Foundation.Process` sometimes misses an exit, and a process started by a thread
/// of Swift's pool inherits the thread's blocked signals.
package final class ChildProcess: Sendable {
  private struct State {
    let program: SpawnedProgram
    /// The exit code, or 128 plus the signal that ended the process.
    var status: Int32?
    var waiting: [CheckedContinuation<Int32, Never>] = []
  }

  private let state: Locked<State>

  private init(_ program: SpawnedProgram) { state = Locked(State(program: program)) }

  /// Starts a program without input.
  ///
  /// - Parameters:
  ///   - program: The program's path.
  ///   - environment: Variables that are added to those of this process, or replace them.
  ///   - output: The file for both output streams, which is overwritten.
  package static func start(
    _ program: String, _ arguments: [String], environment: [String: String] = [:], output: URL
  ) async throws -> ChildProcess {
    try await withCheckedThrowingContinuation { continuation in
      // The kernel ends the program together with the thread that started it, so the thread waits for it.
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

  /// Kills the process, unless it has ended.
  package func kill() {
    state.withLock { state in
      // The process is reaped only under this lock, so its id is still valid.
      if state.status == nil { state.program.send(SIGKILL) }
    }
  }

  /// Waits for the process to end.
  ///
  /// - Returns: The exit code, or 128 plus the signal that ended it.
  package func end() async -> Int32 {
    await withCheckedContinuation { continuation in
      let status = state.withLock { state -> Int32? in
        if state.status == nil { state.waiting.append(continuation) }
        return state.status
      }
      if let status { continuation.resume(returning: status) }
    }
  }

  /// `setpriv` asks the kernel to end the program with its parent; without it, as on other systems, a killed test leaves it running.
  private static let guarded: [String] = {
    guard let path = try? Program.path(of: "setpriv", package: "util-linux") else { return [] }
    return [path, "--pdeathsig", "KILL", "--"]
  }()

  private func waitOnThisThread() {
    let program = state.withLock { $0.program }
    var information = siginfo_t()
    // `WNOWAIT` does not reap the process.
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
