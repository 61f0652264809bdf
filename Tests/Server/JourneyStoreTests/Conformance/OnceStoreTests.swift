import BindingFormats
import Foundation
import JourneyStore
import Testing

/// Runs `body` in `count` tasks at once.
func inParallel<Result: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Result
) async throws -> [Result] {
  try await withThrowingTaskGroup(of: Result.self) { group in
    for number in 0..<count { group.addTask { try await body(number) } }
    return try await group.reduce(into: []) { $0.append($1) }
  }
}

@Suite("What may happen once") struct OnceStoreTests {
  @Test func `a key is consumed once, even after its time`() async throws {
    try await withEachStore { store async throws in
      #expect(try await store.consume([1, 2], until: noon))
      #expect(try await store.consume([1, 2], until: noon + 1000) == false)
      #expect(try await store.consume([1, 3], until: noon))
    }
  }

  @Test func `of many tasks that consume one key, exactly one succeeds`() async throws {
    try await withEachStore { store in
      for round in 0..<10 as Range<UInt8> {
        let winners = try await inParallel(32) { _ in try await store.consume([round], until: noon) }
        #expect(winners.count { $0 } == 1)
      }
    }
  }

  @Test func `a step is used up once, and its account read with it`() async throws {
    try await withEachStore { store in
      try await store.createUser(.sample())
      let (first, second) = (OnceKey.fresh(), OnceKey.fresh())
      #expect(try await store.user(.demo, using: first) == .first(.sample()))
      #expect(try await store.user(.demo, using: first) == .used)
      #expect(try await store.consume(first.key, until: noon) == false)
      // A name that nobody has uses it up, too.
      #expect(try await store.user(.other, using: second) == .first(nil))
      #expect(try await store.user(.demo, using: second) == .used)
      let third = OnceKey.fresh()
      #expect(try await store.consume(third.key, until: third.expiry))
      #expect(try await store.user(.demo, using: third) == .used)
    }
  }

  @Test func `of many answers to one step at two servers, exactly one is told of the account`() async throws {
    try await withTwoServers { one, other in
      try await one.createUser(.sample())
      let stores = [one, other]
      for _ in 0..<10 {
        let step = OnceKey.fresh()
        let readings = try await inParallel(32) { try await stores[$0 % 2].user(.demo, using: step) }
        #expect(readings.count { $0 == .first(.sample()) } == 1)
        #expect(readings.count { $0 == .used } == 31)
      }
    }
  }

  @Test func `two servers on one database: exactly one succeeds`() async throws {
    try await withTwoServers { one, other in
      let stores = [one, other]
      for round in 0..<10 as Range<UInt8> {
        let winners = try await inParallel(32) { try await stores[$0 % 2].consume([round], until: noon) }
        #expect(winners.count { $0 } == 1)
      }
    }
  }

  @Test func `a consumed key is remembered longer when that is wanted, never shorter, and stays consumed`()
    async throws
  {
    try await withEachStore { store async throws in
      #expect(try await store.expiry(of: [1]) == nil)
      try await store.prolong([1], until: noon + 9)
      #expect(try await store.expiry(of: [1]) == nil, "what was not consumed is not recorded")
      #expect(try await store.consume([1], until: noon))
      #expect(try await store.consume([2], until: noon))
      #expect(try await store.expiry(of: [1]) == noon)
      try await store.prolong([1], until: noon + 1)
      try await store.prolong([1], until: noon - 1)
      #expect(try await store.expiry(of: [1]) == noon + 1)
      #expect(try await store.expiry(of: [2]) == noon)
      #expect(try await store.consume([1], until: noon) == false)
      // Forgotten by its new time.
      try await store.removeExpired(now: noon + 3600)
      #expect(try await store.expiry(of: [1]) == noon + 1)
      #expect(try await store.expiry(of: [2]) == nil)
      try await store.removeExpired(now: noon + 3601)
      #expect(try await store.expiry(of: [1]) == nil)
    }
  }

  @Test func `what one server has prolonged, another one sees`() async throws {
    try await withTwoServers { one, other in
      #expect(try await one.consume([1], until: noon))
      try await other.prolong([1], until: noon + 1)
      #expect(try await one.expiry(of: [1]) == noon + 1)
    }
  }
}
