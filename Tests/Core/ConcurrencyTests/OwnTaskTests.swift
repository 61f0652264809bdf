import Concurrency
import Testing

@Suite("A task of its own") struct OwnTaskTests {
  @TaskLocal private static var name = "none"

  private struct Fault: Error {}

  @Test func `gives its value, throws its error, and knows the caller's values`() async throws {
    let value = try await Self.$name.withValue("caller") { try await inOwnTask { Self.name } }
    #expect(value == "caller")
    await #expect(throws: Fault.self) { try await inOwnTask { throw Fault() } }
  }

  @Test func `is cancelled with the caller, which waits for its end`() async throws {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (silence, silent) = AsyncStream.makeStream(of: Void.self)
    defer { silent.finish() }
    let ended = Locked(false)
    let caller = Task {
      try await inOwnTask {
        begin.finish()
        // Ends by cancellation only.
        for await _ in silence {}
        ended.withLock { $0 = true }
        try Task.checkCancellation()
      }
    }
    for await _ in begun {}
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(ended.withLock { $0 })
  }
}
