internal import Concurrency
internal import RuntimeLibraries

/// The workers that run scripts: few processes, started when they are needed, and used again.
///
/// A script that misbehaves costs its own run: its worker is ended and replaced; the others keep running. A run that waits for the server,
/// such as for another host, lets another one compute meanwhile in a further process. Realms take turns, and none gets all workers.
public final class ScriptWorkers: Sendable {
  private struct State {
    var idle: [ScriptWorker] = []
    var all: [ScriptWorker] = []
    var waiting: [Waiting] = []

    /// The workers that have a run, and the places of those that wait for one.
    var running: RealmShares
    var places: RealmShares

    /// Runs that wait for the server's answer.
    var pausing = 0

    /// How many processes the workers that are gone have started.
    var earlierStarts = 0
    var isClosed = false
  }

  /// A run that waits for a worker.
  private struct Waiting {
    let realm: String
    let continuation: CheckedContinuation<ScriptWorker, any Error>
  }

  private let state: Locked<State>
  private let program: String?
  private let count: Int
  private let limits: ScriptLimits

  /// How many scripts compute at once, unless a server is told otherwise.
  public static let standardCount = 2

  /// How many scripts may compute at once.
  public static let counts = 1...64

  /// Processes for each script that may compute: the others belong to runs that wait.
  private static let processesForEach = 4

  /// - Parameters:
  ///   - program: a program that begins with ``ScriptWorkerProgram/runIfAsked()``, such as `sealring`; `nil` where there is none, and
  ///     then no script runs.
  ///   - count: how many scripts compute at once. While runs wait, there are up to four times as many processes.
  public init(program: String?, count: Int = standardCount, limits: ScriptLimits = ScriptLimits()) {
    self.program = program
    self.count = max(1, count)
    self.limits = limits
    state = Locked(
      State(
        running: RealmShares(limit: self.count * Self.processesForEach),
        places: RealmShares(limit: limits.waiting)))
  }

  deinit { Self.stop(state) }

  /// Runs a script.
  ///
  /// - Throws: ``ScriptError``.
  public func run(_ run: ScriptRun, calls: any ScriptCalls = NoScriptCalls()) async throws -> ScriptOutput {
    guard let program else {
      throw ScriptError(.unavailable, "this server has no program to run scripts with")
    }
    let realm = run.realm
    let worker = try await worker(program, for: realm)
    defer { giveBack(worker, of: realm) }
    return try await worker.run(run, calls: calls) { [self] in note(isPausing: $0, program) }
  }

  /// Ends the workers. Runs under way finish first, each within its limits.
  public func close() { Self.stop(state) }

  /// The numbers of the processes that there are.
  public var processes: [Int32] { state.withLock { $0.all.compactMap { $0.process.withLock { $0 } } } }

  /// How many processes were started so far.
  public var starts: Int {
    state.withLock { $0.all.reduce($0.earlierStarts) { $0 + $1.starts.withLock { $0 } } }
  }

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

  private func worker(_ program: String, for realm: String) async throws -> ScriptWorker {
    try await withCheckedThrowingContinuation { continuation in
      let now = state.withLock { state -> Result<ScriptWorker, any Error>? in
        if state.isClosed { return .failure(Self.stopping) }
        if let worker = begin(realm, &state, program) { return .success(worker) }
        guard state.places.take(for: realm) else {
          return .failure(ScriptError(.busy, "all script workers are busy"))
        }
        state.waiting.append(Waiting(realm: realm, continuation: continuation))
        return nil
      }
      if let now { continuation.resume(with: now) }
    }
  }

  /// Gives a run of the realm a worker; `nil` when as many as may are computing, or the realm has its share of the workers.
  private func begin(_ realm: String, _ state: inout State, _ program: String) -> ScriptWorker? {
    guard state.running.total - state.pausing < count, state.running.take(for: realm) else { return nil }
    if let idle = Self.takeIdle(&state) { return idle }
    let new = ScriptWorker(program: program, limits: limits)
    state.all.append(new)
    return new
  }

  /// Gives workers to as many waiting runs as may begin: first those of the realm that has the fewest workers, of these the one that came
  /// first.
  private func beginWaiting(
    _ state: inout State, _ program: String
  ) -> [(run: Waiting, worker: ScriptWorker)] {
    var begun: [(run: Waiting, worker: ScriptWorker)] = []
    while state.running.total - state.pausing < count,
      let place = state.waiting.indices.min(by: {
        state.running.hold(of: state.waiting[$0].realm) < state.running.hold(of: state.waiting[$1].realm)
      }),
      let worker = begin(state.waiting[place].realm, &state, program)
    {
      let run = state.waiting.remove(at: place)
      state.places.giveBack(of: run.realm)
      begun.append((run, worker))
    }
    return begun
  }

  /// A run begins, or ends, to wait for the server's answer.
  private func note(isPausing: Bool, _ program: String) {
    let begun = state.withLock { state -> [(run: Waiting, worker: ScriptWorker)] in
      state.pausing += isPausing ? 1 : -1
      return isPausing && !state.isClosed ? beginWaiting(&state, program) : []
    }
    for (run, worker) in begun { run.continuation.resume(returning: worker) }
  }

  /// Removes the idle worker that was returned last, because its memory is likely cached. Workers with a process come first, so that a run
  /// does not wait while the process of an earlier script is replaced.
  private static func takeIdle(_ state: inout State) -> ScriptWorker? {
    let ready = state.idle.lastIndex { worker in worker.process.withLock { $0 != nil } }
    guard let place = ready ?? state.idle.indices.last else { return nil }
    return state.idle.remove(at: place)
  }

  private func giveBack(_ worker: ScriptWorker, of realm: String) {
    let (begun, ended) = state.withLock {
      [program, count] state -> ([(run: Waiting, worker: ScriptWorker)], [ScriptWorker]) in
      state.running.giveBack(of: realm)
      guard !state.isClosed, let program else { return ([], [worker]) }
      state.idle.append(worker)
      let begun = beginWaiting(&state, program)
      // Further processes are for as long as others wait.
      let surplus = min(state.idle.count, max(0, state.all.count - state.pausing - count))
      let ended = Array(state.idle.prefix(surplus))
      state.idle.removeFirst(surplus)
      state.all.removeAll { worker in ended.contains { $0 === worker } }
      state.earlierStarts += ended.reduce(0) { $0 + $1.starts.withLock { $0 } }
      return (begun, ended)
    }
    for worker in ended { worker.stop() }
    for (run, worker) in begun { run.continuation.resume(returning: worker) }
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
    for run in waiting { run.continuation.resume(throwing: stopping) }
  }
}
