internal import Concurrency
internal import RuntimeLibraries

/// The workers that run scripts: few processes, started when they are needed, and used again.
///
/// A script that misbehaves costs its own run: its worker is ended and replaced; the others keep running.
public final class ScriptWorkers: Sendable {
  private struct State {
    var idle: [ScriptWorker] = []
    var all: [ScriptWorker] = []
    var waiting: [CheckedContinuation<ScriptWorker, any Error>] = []
    var isClosed = false
  }

  private let state = Locked(State())
  private let program: String?
  private let count: Int
  private let limits: ScriptLimits

  /// How many workers a server has, unless it is told otherwise.
  public static let standardCount = 2

  /// How many workers a server may have.
  public static let counts = 1...64

  /// - Parameters:
  ///   - program: a program that begins with ``ScriptWorkerProgram/runIfAsked()``, such as `sealring`; `nil` where there is none, and
  ///     then no script runs.
  ///   - count: how many processes there may be.
  public init(program: String?, count: Int = standardCount, limits: ScriptLimits = ScriptLimits()) {
    self.program = program
    self.count = max(1, count)
    self.limits = limits
  }

  deinit { Self.stop(state) }

  /// Runs a script.
  ///
  /// - Throws: ``ScriptError``.
  public func run(_ run: ScriptRun, calls: any ScriptCalls = NoScriptCalls()) async throws -> ScriptOutput {
    guard let program else {
      throw ScriptError(.unavailable, "this server has no program to run scripts with")
    }
    let worker = try await worker(program)
    defer { giveBack(worker) }
    return try await worker.run(run, calls: calls)
  }

  /// Ends the workers. Runs under way finish first, each within its limits.
  public func close() { Self.stop(state) }

  /// The numbers of the processes that there are.
  public var processes: [Int32] { state.withLock { $0.all.compactMap { $0.process.withLock { $0 } } } }

  /// How many processes were started so far.
  public var starts: Int { state.withLock { $0.all.reduce(0) { $0 + $1.starts.withLock { $0 } } } }

  /// Why no script can run on this machine, in a sentence that says what to do; `nil` when the library is there. Looked for only once,
  /// because every node of a large export asks.
  public static let missingLibrary: String? =
    missingPackage.map { "JavaScriptCore is not there: install \($0)" }

  /// What to install for scripts to run on this machine, and where it is found; `nil` when the library is there.
  ///
  /// The library is looked for but not opened, because an interpreter does not belong in the server's memory.
  package static var missingPackage: String? {
    JavaScriptCore.library.isInstalled ? nil : JavaScriptCore.library.installation
  }

  private static let stopping = ScriptError(.unavailable, "the server is stopping")

  private func worker(_ program: String) async throws -> ScriptWorker {
    try await withCheckedThrowingContinuation { continuation in
      let now = state.withLock { state -> Result<ScriptWorker, any Error>? in
        if state.isClosed { return .failure(Self.stopping) }
        if let idle = Self.takeIdle(&state) { return .success(idle) }
        if state.all.count < count {
          let new = ScriptWorker(program: program, limits: limits)
          state.all.append(new)
          return .success(new)
        }
        guard state.waiting.count < limits.waiting else {
          return .failure(ScriptError(.busy, "all script workers are busy"))
        }
        state.waiting.append(continuation)
        return nil
      }
      if let now { continuation.resume(with: now) }
    }
  }

  /// Removes the idle worker that was returned last, because its memory is likely cached. Workers with a process come first, so that a run
  /// does not wait while the process of an earlier script is replaced.
  private static func takeIdle(_ state: inout State) -> ScriptWorker? {
    let ready = state.idle.lastIndex { worker in worker.process.withLock { $0 != nil } }
    guard let place = ready ?? state.idle.indices.last else { return nil }
    return state.idle.remove(at: place)
  }

  private func giveBack(_ worker: ScriptWorker) {
    let (next, isClosed) = state.withLock { state -> (CheckedContinuation<ScriptWorker, any Error>?, Bool) in
      if state.isClosed { return (nil, true) }
      // First come, first served.
      if !state.waiting.isEmpty { return (state.waiting.removeFirst(), false) }
      state.idle.append(worker)
      return (nil, false)
    }
    if isClosed { worker.stop() }
    next?.resume(returning: worker)
  }

  private static func stop(_ state: Locked<State>) {
    let (idle, waiting) = state.withLock { state in
      defer {
        state.idle = []
        state.waiting = []
        state.isClosed = true
      }
      return (state.idle, state.waiting)
    }
    for worker in idle { worker.stop() }
    for continuation in waiting { continuation.resume(throwing: stopping) }
  }
}
