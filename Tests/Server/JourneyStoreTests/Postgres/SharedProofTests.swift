import BindingFormats
import CommonFixtures
import Concurrency
import EvidenceLedger
import Foundation
import JourneyStore
import JourneyStorePostgres
import PostgresFixtures
import Testing

/// Only on PostgreSQL; what SQLite shares is held by `SharedCommitTests`.
@Suite("Proofs that share a transaction of PostgreSQL") struct SharedProofTests {
  private func withStores(
    _ count: Int = 1, lanes: Int = 1, quotas: StoreQuotas = StoreQuotas(),
    _ body: ([PostgresStore]) async throws -> Void
  ) async throws {
    try await withFolder { folder async throws in
      let address = try await PostgresServer.shared.createDatabase()
      var stores: [PostgresStore] = []
      for _ in 0..<count {
        stores.append(
          try await PostgresStore.open(address, directory: folder, quotas: quotas, lanes: lanes))
      }
      do {
        for number in 0..<10 {
          try await stores[0].createUser(.sample("user \(number)"))
          let device = BoundDeviceRecord.sample("device \(number)", username: "user \(number)")
          #expect(try await stores[0].addBoundDevice(device, limit: 0) == .added)
        }
        try await body(stores)
      } catch {
        for store in stores { try? await store.close() }
        throw error
      }
      for store in stores { try await store.close() }
    }
  }

  private func signature(_ number: Int, once: OnceKey = .fresh(), step: OnceKey? = nil) -> AcceptedSignature {
    AcceptedSignature(
      evidence: .sample(
        device: "device \(number % 10)", username: "user \(number % 10)", at: noon + Double(number)),
      once: once, step: step)
  }

  /// The chain of each lane and the tree, without the signatures, which the samples do not have.
  private func entries(_ store: PostgresStore) async throws -> Int64 {
    let export = Locked<[UInt8]>([])
    _ = try await store.export(at: noon) { piece in export.withLock { $0 += piece } }
    var rest = export.withLock { $0 }
    return try await EvidenceVerifier(checksSignatures: false).verify {
      defer { rest = [] }
      return rest
    }.checkpoint.count
  }

  @Test func `one by itself takes a transaction of three round trips`() async throws {
    try await withStores { stores async throws in
      let before = stores[0].roundTrips
      #expect(try await stores[0].accept(signature(0)) == .accepted(evidence: 1))
      #expect(stores[0].roundTrips - before == 3)
    }
  }

  @Test(arguments: [1, 4]) func `many at once take few transactions, and each counts once`(
    lanes: Int
  ) async throws {
    try await withStores(lanes: lanes) { stores async throws in
      let before = stores[0].roundTrips
      let outcomes = try await inParallel(200) { number in
        try await stores[0].accept(
          signature(number, step: OnceKey(key: [7, UInt8(number)], expiry: noon + 3600)))
      }
      #expect(stores[0].roundTrips - before < 300)
      let numbers = outcomes.compactMap { if case .accepted(let number) = $0 { number } else { nil } }
      #expect(Set(numbers).count == 200)
      #expect(try await entries(stores[0]) == 200)
      for number in 0..<10 {
        let device = try await stores[0].boundDevice(
          uuid: "device \(number)", of: UniversalID(username: "user \(number)", realm: "alpha"))
        #expect(device?.lastAccessDate == noon + Double(190 + number))
      }
    }
  }

  @Test func `replayed proofs among many make none of the others slow`() async throws {
    try await withStores { stores async throws in
      let used = OnceKey(key: [1], expiry: noon + 3600)
      #expect(try await stores[0].accept(signature(0, once: used)) == .accepted(evidence: 1))
      let before = stores[0].roundTrips
      let outcomes = try await inParallel(200) { number in
        try await stores[0].accept(number % 10 == 5 ? signature(number, once: used) : signature(number))
      }
      #expect(outcomes.count { $0 == .replayed } == 20)
      #expect(try await entries(stores[0]) == 181)
      // One by one they are three for each.
      #expect(stores[0].roundTrips - before < 400)
    }
  }

  @Test func `each gets its own answer, and nobody fails because of another`() async throws {
    var quotas = StoreQuotas()
    quotas.evidenceBytesPerAccountAndDay = 100_000
    try await withStores(quotas: quotas) { stores async throws in
      let used = OnceKey(key: [1], expiry: noon + 3600)
      let step = OnceKey(key: [2], expiry: noon + 3600)
      #expect(try await stores[0].consume(step.key, until: step.expiry))
      #expect(try await stores[0].addEvidence(.sample(), once: used) == 1)
      enum Answer: Hashable { case outcome(SignatureAcceptance), unavailable, exhausted, counted }
      let answers = try await inParallel(60) { number -> (Int, Answer) in
        var one = signature(number)
        switch number {
        case 10: one.once = used
        case 20: one.step = step
        case 30: one.evidence.device = "another"
        case 40: one.evidence.jws = String(repeating: "A", count: EvidenceEntry.maximumLineBytes)
        case 50: one.evidence.jws = String(repeating: "A", count: 100_000)
        default: break
        }
        do {
          let outcome = try await stores[0].accept(one)
          if case .accepted = outcome { return (number, .counted) }
          return (number, .outcome(outcome))
        } catch StoreError.exhausted {
          return (number, .exhausted)
        } catch StoreError.unavailable {
          return (number, .unavailable)
        }
      }
      let expected: [Int: Answer] = [
        10: .outcome(.replayed), 20: .outcome(.answeredBefore), 30: .outcome(.noSuchDevice),
        40: .unavailable, 50: .exhausted,
      ]
      for (number, answer) in answers { #expect(answer == expected[number] ?? .counted, "\(number)") }
      #expect(try await entries(stores[0]) == 56)
    }
  }

  @Test func `of the same proof sent many times at once, beside others, one counts`() async throws {
    try await withStores { stores async throws in
      let once = OnceKey.fresh()
      let outcomes = try await inParallel(100) { number in
        try await stores[0].accept(number % 2 == 0 ? signature(0, once: once) : signature(number))
      }
      #expect(outcomes.count { $0 == .replayed } == 49)
      #expect(try await entries(stores[0]) == 51)
    }
  }

  @Test func `servers that write proofs of the same devices do not stop each other`() async throws {
    try await withStores(3) { stores async throws in
      let outcomes = try await inParallel(300) { number in
        try await stores[number % 3].accept(signature(number / 3))
      }
      #expect(outcomes.allSatisfy { if case .accepted = $0 { true } else { false } })
      #expect(try await entries(stores[1]) == 300)
    }
  }

  @Test func `who stops waiting takes nobody along`() async throws {
    try await withStores { stores async throws in
      let tasks = (0..<50).map { number in Task { try await stores[0].accept(signature(number)) } }
      for number in stride(from: 0, to: 50, by: 2) { tasks[number].cancel() }
      for task in tasks { _ = try await task.value }
      #expect(try await entries(stores[0]) == 50)
    }
  }

  @Test func `without a database everybody hears so`() async throws {
    try await withStores { stores async throws in
      try await stores[0].close()
      let failures = try await inParallel(20) { number in
        do {
          _ = try await stores[0].accept(signature(number))
          return false
        } catch is StoreError { return true }
      }
      #expect(failures.allSatisfy { $0 })
    }
  }
}
