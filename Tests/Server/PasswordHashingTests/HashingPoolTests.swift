import CommonFixtures
import Dispatch
import Testing

@testable import PasswordHashing

/// A computation that lasts until the test ends it.
private final class Blocker: Sendable {
  private let began = Signal()
  private let end = DispatchSemaphore(value: 0)

  func block() {
    began.fire()
    end.wait()
  }

  func hasBegun() async throws { try await began.wait(until: "the computation has begun") }

  /// Every test calls this in a `defer`, too: its task waits for the computation, also when the test fails.
  func release() { end.signal() }
}

extension HashingPool {
  /// Returns once `count` computations wait for a thread.
  fileprivate func waits(for count: Int, line: Int = #line) async throws {
    try await eventually("\(count) computations wait for a thread", line: line) { waitingCount == count }
  }
}

@Suite("The pool for long computations") struct HashingPoolTests {
  @Test func `when the queue is full the next one is refused at once, and later ones are not`() async throws {
    let pool = HashingPool(threads: 1, queueLimit: 1)
    let blocker = Blocker()
    async let first: Void = pool.run { blocker.block() }
    defer { blocker.release() }
    try await blocker.hasBegun()
    async let second = pool.run { 2 }
    try await pool.waits(for: 1)
    await #expect(throws: PasswordHashingError.overloaded) { try await pool.run { 3 } }
    blocker.release()
    try await first
    #expect(try await second == 2)
    #expect(try await pool.run { 4 } == 4)
  }

  @Test func `who is cancelled while waiting leaves at once, and the place is free`() async throws {
    let pool = HashingPool(threads: 1, queueLimit: 1)
    let blocker = Blocker()
    async let first: Void = pool.run { blocker.block() }
    defer { blocker.release() }
    try await blocker.hasBegun()
    let waiting = Task { try await pool.run { 2 } }
    try await pool.waits(for: 1)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(pool.waitingCount == 0)
    async let next = pool.run { 3 }
    try await pool.waits(for: 1)
    blocker.release()
    try await first
    #expect(try await next == 3)
  }

  @Test func `who is cancelled already is not computed`() async throws {
    let pool = HashingPool(threads: 1, queueLimit: 1)
    let task = Task {
      try await untilCancelled()
      return try await pool.run { 1 }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await pool.run { 2 } == 2)
  }

  @Test func `first come, first served, and no more at once than there are threads`() async throws {
    let pool = HashingPool(threads: 1, queueLimit: 10)
    let blocker = Blocker()
    let (order, served) = AsyncStream.makeStream(of: Int.self)
    async let first: Void = pool.run { blocker.block() }
    defer { blocker.release() }
    try await blocker.hasBegun()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<10 {
        group.addTask { try await pool.run { _ = served.yield(number) } }
        try await pool.waits(for: number + 1)
      }
      blocker.release()
      try await group.waitForAll()
    }
    try await first
    served.finish()
    #expect(await order.reduce(into: []) { $0.append($1) } == Array(0..<10))
  }

  @Test func `one source that fills the queue does not keep the next one waiting behind all of its own`()
    async throws
  {
    let pool = HashingPool(threads: 1, queueLimit: 8)
    let blocker = Blocker()
    let (order, served) = AsyncStream.makeStream(of: String.self)
    async let first: Void = pool.run(source: "A") { blocker.block() }
    defer { blocker.release() }
    try await blocker.hasBegun()
    try await withThrowingTaskGroup(of: String?.self) { group in
      for number in 1...8 {
        group.addTask {
          do {
            try await pool.run(source: "A") { _ = served.yield("A\(number)") }
            return nil
          } catch { return "A\(number): \(error)" }
        }
        try await pool.waits(for: number)
      }
      // The queue is full: one more of A is refused, the first of B takes the place of A's last.
      await #expect(throws: PasswordHashingError.overloaded) { try await pool.run(source: "A") {} }
      group.addTask {
        try await pool.run(source: "B") { _ = served.yield("B") }
        return nil
      }
      #expect(try await group.next() == "A8: \(PasswordHashingError.overloaded)")
      blocker.release()
      for try await refusal in group { #expect(refusal == nil) }
    }
    try await first
    served.finish()
    #expect(
      await order.reduce(into: []) { $0.append($1) } == ["A1", "B", "A2", "A3", "A4", "A5", "A6", "A7"])
  }

  @Test func `the source of a job is the one that its task works for`() async throws {
    let pool = HashingPool(threads: 1, queueLimit: 2)
    let blocker = Blocker()
    async let first: Void = pool.run { blocker.block() }
    defer { blocker.release() }
    try await blocker.hasBegun()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...2 {
        group.addTask {
          try? await WaitingSource.$current.withValue("A") { try await pool.run {} }
        }
        try await pool.waits(for: number)
      }
      group.addTask { try await WaitingSource.$current.withValue("B") { try await pool.run {} } }
      _ = try await group.next()
      blocker.release()
      try await group.waitForAll()
    }
    try await first
  }

  @Test func `an error of the computation reaches the caller, and the thread is free again`() async throws {
    let pool = HashingPool(threads: 1, queueLimit: 0)
    await #expect(throws: PasswordHashingError.failed("x")) {
      try await pool.run { throw PasswordHashingError.failed("x") }
    }
    #expect(try await pool.run { 2 } == 2)
  }
}
