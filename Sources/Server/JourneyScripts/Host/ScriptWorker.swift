internal import Concurrency
internal import Dispatch
internal import Foundation
internal import StrictJSON

/// One worker, and the thread that starts, watches and replaces its process.
final class ScriptWorker: Sendable {
  private struct Job: Sendable {
    let run: ScriptRun
    let calls: any ScriptCalls
    let isPausing: @Sendable (Bool) -> Void
    let result: CheckedContinuation<ScriptOutput, any Error>
  }

  private let jobs = Locked<[Job]>([])
  private let isStopped = Locked(false)
  private let wakeUp = DispatchSemaphore(value: 0)
  private let program: String
  private let limits: ScriptLimits

  /// How often a process was started; for tests and metrics.
  let starts = Locked(0)

  /// The number of the process, while there is one.
  let process = Locked<Int32?>(nil)

  init(program: String, limits: ScriptLimits) {
    self.program = program
    self.limits = limits
    Thread.detachNewThread { [self] in work() }
  }

  /// Performs a run. The pool sends one at a time.
  ///
  /// - Parameter isPausing: told when the run begins to wait for an answer, and when that is over.
  func run(
    _ run: ScriptRun, calls: any ScriptCalls, isPausing: @escaping @Sendable (Bool) -> Void
  ) async throws -> ScriptOutput {
    try await withCheckedThrowingContinuation { continuation in
      jobs.withLock {
        $0.append(Job(run: run, calls: calls, isPausing: isPausing, result: continuation))
      }
      wakeUp.signal()
    }
  }

  /// Ends the process, and the thread. Not while a run is under way.
  func stop() {
    isStopped.withLock { $0 = true }
    wakeUp.signal()
  }

  // MARK: On the thread

  private func work() {
    var present: ScriptProcess?
    defer { end(&present) }
    while true {
      wakeUp.wait()
      guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        if isStopped.withLock({ $0 }) { return }
        continue
      }
      do throws(ScriptError) {
        // A process that has died meanwhile, or has unread output from its last run, is not reused.
        if present?.isQuiet == false { end(&present) }
        var process: ScriptProcess
        if let present { process = present } else { process = try start() }
        present = process
        let output: Result<ScriptOutput, ScriptError>
        do throws(ScriptError) { output = .success(try perform(job, in: &process)) } catch {
          output = .failure(error)
        }
        present = process
        // An error of the script itself leaves the worker as it was; any other error ends it. Garbage that fills half of the room that
        // scripts have would count against the next script.
        let isFit: Bool
        if case .failure(let error) = output { isFit = error.isOrderly } else { isFit = true }
        if !isFit || process.hasFilledHalf(of: limits.memory) { end(&present) }
        job.result.resume(with: output.mapError { $0 as any Error })
        // Started now, so that the next script does not wait for a new process.
        if present == nil, !isStopped.withLock({ $0 }) { present = try? start() }
      } catch {
        end(&present)
        job.result.resume(throwing: error)
      }
    }
  }

  private func end(_ present: inout ScriptProcess?) {
    guard let process = present else { return }
    self.process.withLock { $0 = nil }
    process.end()
    present = nil
  }

  private func start() throws(ScriptError) -> ScriptProcess {
    var process = try ScriptProcess(program: program, time: limits.time)
    starts.withLock { $0 += 1 }
    let deadline = ContinuousClock.now + ScriptLimits.startTime
    do throws(ScriptError) {
      while ContinuousClock.now < deadline {
        guard process.waits(for: .milliseconds(100)) else { continue }
        guard let message = try process.receive(limit: limits.message) else { continue }
        guard message.kind == .ready else {
          throw ScriptError(.unavailable, String(decoding: message.text, as: UTF8.self))
        }
        process.noteReady()
        let id = process.id
        self.process.withLock { $0 = id }
        return process
      }
      throw ScriptError(.unavailable, "the script worker does not start")
    } catch {
      process.end()
      guard error.reason == .worker else { throw error }
      throw ScriptError(.unavailable, "\(program) does not start as a script worker")
    }
  }

  private func perform(_ job: Job, in process: inout ScriptProcess) throws(ScriptError) -> ScriptOutput {
    var log: [ScriptLogLine] = []
    do throws(ScriptError) {
      return ScriptOutput(decision: try decision(of: job, in: &process, log: &log), log: log)
    } catch {
      var error = error
      error.log = log
      throw error
    }
  }

  /// - Parameter log: gets what the script logs, however the run ends.
  private func decision(
    of job: Job, in process: inout ScriptProcess, log: inout [ScriptLogLine]
  ) throws(ScriptError) -> JSONObject {
    let end = ContinuousClock.now + limits.wallTime
    process.begin()
    try process.send(
      ScriptMessage(.run, job.run.message(logBytes: limits.log).serialized), within: limits.wallTime)
    var (said, logged) = (0, 0)
    var looked = ContinuousClock.now
    while true {
      let isSpeaking = process.waits(for: ScriptLimits.interval)
      // Checked also while the worker writes: a script must not escape its limits by writing without pause.
      let now = ContinuousClock.now
      if !isSpeaking || now - looked >= ScriptLimits.interval {
        looked = now
        try check(process, until: end)
      }
      guard isSpeaking else { continue }
      guard let message = try process.receive(limit: limits.message) else {
        try check(process, until: end)
        continue
      }
      said += max(ScriptLimits.leastMessage, message.text.count)
      guard said <= limits.output else {
        throw ScriptError(.output, "the script's messages have more than \(limits.output) bytes together")
      }
      switch message.kind {
      case .call: try process.send(try answer(message, of: job, process, until: end), within: limits.wallTime)
      case .log:
        // Counts as Prelude/state.js does, because the worker's own count is not trusted.
        guard logged <= limits.log, let line = Self.logLine(message) else { continue }
        logged += line.text.utf16.count + 16
        log.append(line)
      case .done: return try Self.object(message)
      case .failed:
        let report = try Self.object(message)
        let line = report["line"]?.integerValue.map { ", line \($0)" } ?? ""
        throw Self.orderly(
          .failed, "\(job.run.name)\(line): \(report["error"]?.stringValue ?? "the script failed")")
      case .timeIsUp: throw Self.orderly(.time, Self.tooLong(limits))
      default: throw ScriptError(.worker, "the worker sent an unknown message")
      }
    }
  }

  /// Throws when the run is over a limit.
  private func check(_ process: ScriptProcess, until end: ContinuousClock.Instant) throws(ScriptError) {
    if let computed = process.computed, computed > limits.time + ScriptLimits.grace {
      throw ScriptError(.time, Self.tooLong(limits))
    }
    if let memory = process.memory, memory > limits.memory {
      throw ScriptError(
        .memory, "the script took more memory than a worker may have, \(limits.memory >> 20) MB")
    }
    guard ContinuousClock.now < end else {
      throw ScriptError(.wallTime, "the run took longer than \(limits.wallTime)")
    }
  }

  private static func orderly(_ reason: ScriptError.Reason, _ description: String) -> ScriptError {
    var error = ScriptError(reason, description)
    error.isOrderly = true
    return error
  }

  private static func tooLong(_ limits: ScriptLimits) -> String {
    "the script computed for longer than \(limits.time.milliseconds) ms"
  }

  /// Answers a call. The worker must be idle meanwhile; one that computes is ended.
  private func answer(
    _ message: ScriptMessage, of job: Job, _ process: ScriptProcess, until end: ContinuousClock.Instant
  ) throws(ScriptError) -> ScriptMessage {
    guard
      let call = try? JSONValue(
        parsing: message.text, limits: JSONLimits(maximumBytes: limits.message, maximumDepth: 64)),
      let parts = call.arrayValue, let function = parts.first?.stringValue
    else { throw ScriptError(.worker, "the worker called an unknown function") }
    let answer = Locked<ScriptMessage?>(nil)
    let done = DispatchSemaphore(value: 0)
    let task = Task {
      let result: ScriptMessage
      do {
        result = ScriptMessage(
          .answer, try await job.calls.answer(function, Array(parts.dropFirst())).serialized)
      } catch {
        result = ScriptMessage(.refusal, "\(error)".utf8.filter { $0 != 0 })
      }
      answer.withLock { $0 = result }
      done.signal()
    }
    var isPausing = false
    defer { if isPausing { job.isPausing(false) } }
    while done.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
      if !isPausing {
        isPausing = true
        job.isPausing(true)
      }
      do throws(ScriptError) { try check(process, until: end) } catch {
        task.cancel()
        throw error
      }
    }
    return answer.withLock { $0 } ?? ScriptMessage(.refusal, "no answer".utf8)
  }

  private static func object(_ message: ScriptMessage) throws(ScriptError) -> JSONObject {
    do throws(JSONError) {
      return try JSONObject(
        parsing: message.text, limits: JSONLimits(maximumBytes: message.text.count, maximumDepth: 64))
    } catch {
      throw ScriptError(.failed, "the script's result is not usable: \(error)")
    }
  }

  /// `nil` when the message is not a log line, because the script changed how its lines are written.
  private static func logLine(_ message: ScriptMessage) -> ScriptLogLine? {
    guard let line = try? object(message), let level = line["level"]?.stringValue,
      ScriptLogLine.levels.contains(level), let text = line["text"]?.stringValue
    else { return nil }
    return ScriptLogLine(level: level, text: text)
  }
}
