import Concurrency
import Testing

@Suite("AsyncMutex")
struct AsyncMutexTests {
  @Test func `bodies that await do not interleave`() async {
    let mutex = AsyncMutex()
    let inside = Locked(0)
    let most = Locked(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          await mutex.withLock {
            let now = inside.withLock { inside in
              inside += 1
              return inside
            }
            most.withLock { $0 = max($0, now) }
            await Task.yield()
            inside.withLock { $0 -= 1 }
          }
        }
      }
    }
    #expect(most.withLock { $0 } == 1)
  }

  @Test func `an error releases the mutex`() async throws {
    struct Failure: Error {}
    let mutex = AsyncMutex()
    await #expect(throws: Failure.self) { try await mutex.withLock { throw Failure() } }
    #expect(await mutex.withLock { true })
  }

  @Test func `a cancelled task gets its turn`() async {
    let mutex = AsyncMutex()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await mutex.withLock { Task.isCancelled }
    }
    #expect(await task.value)
  }
}
