import Concurrency
import Testing
import CommonFixtures

struct FirstOfTests {
  private struct Failure: Error {}
  private let clock = ManualClock()

  @Test func `a result in time counts`() async throws {
    #expect(try await firstOf({ 1 }, orAfter: .seconds(1), on: clock) == 1)
    #expect(try await firstOf({ 2 }, orAfter: nil) == 2)
  }

  @Test func `a failure in time counts`() async {
    await #expect(throws: Failure.self) {
      try await firstOf({ () -> Int in throw Failure() }, orAfter: .seconds(1), on: clock)
    }
  }

  @Test func `the time begins with the call and cancels the body`() async {
    let begun = Signal()
    let task = Task { [clock] in
      try await firstOf(
        {
          begun.fire()
          try await clock.sleep(for: .seconds(100))
        }, orAfter: .seconds(10), on: clock)
    }
    await begun.wait()
    clock.advance(by: .seconds(10))
    await #expect(throws: TimeIsUp.self) { try await task.value }
  }

  @Test func `the caller's own error says that the time is up`() async {
    await #expect(throws: Failure.self) {
      try await firstOf(
        { [clock] in
          clock.advance(by: .seconds(1))
          try await clock.sleep(for: .seconds(100))
        }, orAfter: .seconds(1), on: clock, throwing: Failure())
    }
  }

  @Test func `cancelling the caller cancels the body`() async {
    let begun = Signal()
    let task = Task { [clock] in
      try await firstOf(
        {
          begun.fire()
          try await clock.sleep(for: .seconds(100))
        }, orAfter: nil)
    }
    await begun.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a body that never ends is abandoned and its late result is handed over`() async throws {
    let answer = FirstAnswer<Int>()
    let late = FirstAnswer<Int>()
    await #expect(throws: TimeIsUp.self) {
      try await firstOf(
        { [clock] in
          clock.advance(by: .seconds(1))
          return await answer.value
        }, orAfter: .seconds(1), on: clock, abandoning: true, late: { late.give($0) })
    }
    answer.give(7)
    #expect(await late.value == 7)
  }

  @Test func `a body that is not abandoned is waited for`() async {
    let answer = FirstAnswer<Int>()
    let late = Locked(0)
    await #expect(throws: TimeIsUp.self) {
      try await firstOf(
        { [clock] in
          clock.advance(by: .seconds(1))
          await withTaskCancellationHandler {
            _ = await answer.value
          } onCancel: {
            answer.give(7)
          }
          return await answer.value
        }, orAfter: .seconds(1), on: clock, late: { value in late.withLock { $0 = value } })
    }
    #expect(late.withLock { $0 } == 7)
  }
}
