import CommonFixtures
import Concurrency
import Testing

@Suite("Waiting in tests") struct EventuallyTests {
  private struct Failure: Error {}

  @Test func `what holds already is looked at once`() async throws {
    var looks = 0
    try await eventually("it holds", within: .zero) {
      looks += 1
      return true
    }
    #expect(looks == 1)
  }

  @Test func `a wait ends when another task makes the condition true`() async throws {
    let (looked, happened) = (Signal(), Locked(false))
    let other = Task {
      try await looked.wait(until: "the condition is looked at")
      happened.withLock { $0 = true }
    }
    try await eventually("it happened") {
      looked.fire()
      return happened.withLock { $0 }
    }
    try await other.value
  }

  @Test func `a long wait goes on after the first turns, with pauses`() async throws {
    var looks = 0
    try await eventually("it was looked at often") {
      looks += 1
      return looks == 105
    }
    #expect(looks == 105)
  }

  @Test func `a wait that takes too long says what for, how long, and where`() async throws {
    // Outside of the macro, which gives what is written in it its own line.
    let line = #line + 1
    let wait = { try await eventually("the stream is open", within: .zero) { false } }
    let error = await #expect(throws: WaitTimeout.self) { try await wait() }
    #expect(
      error?.description
        == "The wait until the stream is open took longer than 0.0 seconds (\(#fileID):\(line)).")
  }

  @Test func `what the condition throws ends the wait`() async {
    await #expect(throws: Failure.self) { try await eventually("it holds") { throw Failure() } }
  }

  @Test func `a wait ends with its task`() async throws {
    let looked = Signal()
    let waiting = Task {
      try await eventually("it never happens") {
        looked.fire()
        return false
      }
    }
    try await looked.wait(until: "the condition is looked at")
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test func `a signal that was given ends the wait, however short`() async throws {
    let signal = Signal()
    let waiting = Task { try await signal.wait(until: "the signal is given") }
    signal.fire()
    try await waiting.value
    try await signal.wait(until: "the signal is given")
  }

  @Test func `a signal that is not given says what was awaited, how long, and where`() async {
    let line = #line + 1
    let wait = { try await Signal().wait(until: "the server is asked", within: .zero) }
    let error = await #expect(throws: WaitTimeout.self) { try await wait() }
    #expect(
      error?.description
        == "The wait until the server is asked took longer than 0.0 seconds (\(#fileID):\(line)).")
  }

  @Test func `waiting for a signal ends with its task`() async {
    let signal = Signal()
    let waiting = Task { try await signal.wait(until: "the signal is given") }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    signal.fire()
  }

  @Test func `a task can wait to be cancelled, but not for ever`() async throws {
    let waiting = Task { try await untilCancelled() }
    waiting.cancel()
    try await waiting.value
    let error = await #expect(throws: WaitTimeout.self) { try await untilCancelled(within: .zero) }
    #expect(error?.description.contains("until the task is cancelled") == true)
  }
}
