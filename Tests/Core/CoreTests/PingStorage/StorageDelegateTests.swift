import PingStorage
import Testing

/// A storage that can be told to fail, and counts its reads.
private actor Fragile: Storage {
  struct Failure: Error {}

  var item: String?
  var fails = false
  var reads = 0

  func fail(_ fails: Bool) { self.fails = fails }

  func save(item: String) async throws {
    if fails { throw Failure() }
    self.item = item
  }

  func get() async throws -> String? {
    reads += 1
    if fails { throw Failure() }
    return item
  }

  func delete() async throws {
    if fails { throw Failure() }
    item = nil
  }
}

@Suite("StorageDelegate")
struct StorageDelegateTests {
  private let backing = Fragile()

  @Test func `memory storage keeps an item`() async throws {
    let storage = MemoryStorage<String>()
    #expect(try await storage.get() == nil)
    try await storage.save(item: "a")
    #expect(try await storage.get() == "a")
    try await storage.delete()
    try await storage.delete()
    #expect(try await storage.get() == nil)
  }

  @Test func `without a cache every read goes to the storage behind`() async throws {
    let storage = StorageDelegate(delegate: backing)
    try await storage.save(item: "a")
    _ = try await storage.get()
    _ = try await storage.get()
    #expect(await backing.reads == 2)
  }

  @Test func `a read fills the cache`() async throws {
    try await backing.save(item: "a")
    let storage = StorageDelegate(delegate: backing, cacheable: true)
    #expect(try await storage.get() == "a")
    #expect(try await storage.get() == "a")
    #expect(await backing.reads == 1)
  }

  @Test func `a failed save is thrown and the old item stays`() async throws {
    let storage = StorageDelegate(delegate: backing, cacheable: true)
    try await storage.save(item: "a")
    await backing.fail(true)
    await #expect(throws: Fragile.Failure.self) { try await storage.save(item: "b") }
    #expect(try await storage.get() == "a")
  }

  @Test func `a failed delete is thrown and leaves no secret in memory`() async throws {
    let storage = StorageDelegate(delegate: backing, cacheable: true)
    try await storage.save(item: "secret")
    await backing.fail(true)
    await #expect(throws: Fragile.Failure.self) { try await storage.delete() }
    await #expect(throws: Fragile.Failure.self) { try await storage.get() }
  }

  @Test(arguments: [CacheStrategy.cache, .cacheOnFailure])
  func `a strategy may keep what could not be saved`(strategy: CacheStrategy) async throws {
    let storage = StorageDelegate(delegate: backing, strategy: strategy)
    await backing.fail(true)
    try await storage.save(item: "a")
    #expect(try await storage.get() == "a")
    await backing.fail(false)
    #expect(try await storage.update { $0 } == "a")
    #expect(await backing.item == "a")
  }

  @Test(arguments: [(CacheStrategy.noCache, 1), (.cacheOnFailure, 1), (.cache, 0)])
  func `only the cache strategy keeps what was saved`(strategy: CacheStrategy, reads: Int) async throws {
    let storage = StorageDelegate(delegate: backing, strategy: strategy)
    try await storage.save(item: "a")
    #expect(try await storage.get() == "a")
    #expect(await backing.reads == reads)
  }

  @Test func `the no cache strategy throws failures`() async throws {
    let storage = StorageDelegate(delegate: backing, strategy: .noCache)
    await backing.fail(true)
    await #expect(throws: Fragile.Failure.self) { try await storage.save(item: "a") }
  }

  @Test(arguments: [false, true])
  func `updates lose nothing whatever is behind`(cacheable: Bool) async throws {
    let storages: [StorageDelegate<String>] = [
      MemoryStorage(cacheable: cacheable), StorageDelegate(delegate: backing, cacheable: cacheable),
    ]
    for storage in storages {
      await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<40 { group.addTask { try await storage.update { $0 = ($0 ?? "") + "x" } } }
      }
      #expect(try await storage.get()?.count == 40)
      try await storage.update { $0 = nil }
      #expect(try await storage.get() == nil)
    }
  }

  @Test func `an update sees what others wrote behind the cache`() async throws {
    let memory = Memory<[String]>()
    let first = StorageDelegate(delegate: memory, cacheable: true)
    let second = StorageDelegate(delegate: memory, cacheable: true)
    try await first.save(item: ["a"])
    try await second.update { $0?.append("b") }
    try await first.update { $0?.append("c") }
    #expect(try await memory.get() == ["a", "b", "c"])
    #expect(try await first.get() == ["a", "b", "c"])
  }

  @Test func `saves and deletes at once leave cache and storage alike`() async throws {
    let storage = StorageDelegate(delegate: backing, cacheable: true)
    await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          if number.isMultiple(of: 3) {
            try await storage.delete()
          } else {
            try await storage.save(item: "\(number)")
          }
        }
      }
    }
    #expect(try await storage.get() == (await backing.item))
  }
}
