import Foundation
import JourneyStore
import StrictJSON
import Testing

extension ApplicationRecord {
  static func sample(_ id: String = "app-1", name: String = "Shop", realm: String = "alpha") -> Self {
    ApplicationRecord(
      id: id, realm: realm, name: name, secretHash: Array(repeating: 7, count: 32), createdAt: noon)
  }
}

extension TransactionRecord {
  static func sample(
    _ id: String = "t-1", application: String = "app-1", realm: String = "alpha", life: TimeInterval = 300
  ) -> Self {
    TransactionRecord(
      id: id, realm: realm, applicationID: application, username: "demo", journey: "ApproveTransaction",
      fields: ["amount": "10.00", "currency": "EUR", "payee": "Bäckerei"], createdAt: noon,
      expiresAt: noon.addingTimeInterval(life))
  }
}

@Suite("Applications and their transactions") struct TransactionStoreTests {
  private static let approval = TransactionDecision.approved(
    TransactionApproval(username: "demo", keyID: "kid-1", jws: "a.b.c", nonce: [1, 2, 3]))

  @Test func `an application is found by its id in its realm only; names are unique there, in any case`()
    async throws
  {
    try await withEachStore { store in
      let shop = ApplicationRecord.sample()
      try await store.createApplication(shop)
      #expect(try await store.application(id: "app-1", realm: "ALPHA") == shop)
      #expect(try await store.application(id: "app-1", realm: "root") == nil)
      #expect(try await store.application(id: "APP-1", realm: "alpha") == nil)
      await #expect(throws: StoreError.self) {
        try await store.createApplication(.sample("app-2", name: "SHOP"))
      }
      try await store.createApplication(.sample("app-2", name: "Bank"))
      try await store.createApplication(.sample("app-3", name: "Shop", realm: "root"))
      #expect(try await store.applications(realm: "alpha").map(\.name) == ["Bank", "Shop"])
      #expect(try await store.deleteApplication(id: "app-1", realm: "root") == nil)
      #expect(try await store.deleteApplication(id: "app-1", realm: "alpha") == shop)
      #expect(try await store.application(id: "app-1", realm: "alpha") == nil)
    }
  }

  @Test func `a transaction needs its application, and goes with it`() async throws {
    try await withEachStore { store in
      await #expect(throws: StoreError.self) { try await store.createTransaction(.sample()) }
      try await store.createApplication(.sample())
      await #expect(throws: StoreError.self, "another realm") {
        try await store.createTransaction(.sample(realm: "root"))
      }
      try await store.createTransaction(.sample())
      await #expect(throws: StoreError.self, "the id is taken") {
        try await store.createTransaction(.sample())
      }
      #expect(try await store.transaction(id: "t-1", realm: "alpha") == .sample())
      #expect(try await store.transaction(id: "t-1", realm: "root") == nil)
      _ = try await store.deleteApplication(id: "app-1", realm: "alpha")
      #expect(try await store.transaction(id: "t-1", realm: "alpha") == nil)
      #expect(
        try await !store.decideTransaction(id: "t-1", realm: "alpha", Self.approval, now: noon))
    }
  }

  @Test(arguments: [approval, .refused(reason: "CANCELLED")])
  func `a decision is kept whole and stays`(_ decision: TransactionDecision) async throws {
    try await withEachStore { store in
      try await store.createApplication(.sample())
      try await store.createTransaction(.sample())
      #expect(try await !store.decideTransaction(id: "t-1", realm: "root", decision, now: noon))
      #expect(try await store.decideTransaction(id: "t-1", realm: "alpha", decision, now: noon + 5))
      var expected = TransactionRecord.sample()
      expected.decision = decision
      expected.decidedAt = noon + 5
      #expect(try await store.transaction(id: "t-1", realm: "alpha") == expected)
      for other in [Self.approval, .refused(reason: "INVALID_CLAIM")] {
        #expect(try await !store.decideTransaction(id: "t-1", realm: "alpha", other, now: noon + 6))
      }
      #expect(try await store.transaction(id: "t-1", realm: "alpha") == expected)
    }
  }

  @Test func `nothing is decided after the transaction's time`() async throws {
    try await withEachStore { store in
      try await store.createApplication(.sample())
      try await store.createTransaction(.sample(life: 10))
      #expect(try await !store.decideTransaction(id: "t-1", realm: "alpha", Self.approval, now: noon + 10))
      #expect(try await store.decideTransaction(id: "t-1", realm: "alpha", Self.approval, now: noon + 9.9))
    }
  }

  @Test func `of many decisions at once, on two servers, exactly one counts`() async throws {
    try await withTwoServers { one, other in
      let stores = [one, other]
      try await stores[0].createApplication(.sample())
      for round in 0..<10 {
        try await stores[0].createTransaction(.sample("t-\(round)"))
        let winners = try await inParallel(32) { number in
          let decision = number % 3 == 0 ? TransactionDecision.refused(reason: "CANCELLED") : Self.approval
          return try await stores[number % 2].decideTransaction(
            id: "t-\(round)", realm: "alpha", decision, now: noon + 1)
        }
        #expect(winners.count { $0 } == 1)
      }
    }
  }

  @Test func `transactions outlive their time by 30 days, decided or not`() async throws {
    try await withEachStore { store in
      try await store.createApplication(.sample())
      try await store.createTransaction(.sample("old"))
      try await store.createTransaction(.sample("decided"))
      try await store.createTransaction(.sample("young", life: 301))
      _ = try await store.decideTransaction(id: "decided", realm: "alpha", Self.approval, now: noon)
      try await store.removeExpired(now: noon + 300 + 30 * 86_400 - 1)
      #expect(try await store.transaction(id: "old", realm: "alpha") != nil)
      try await store.removeExpired(now: noon + 300 + 30 * 86_400)
      #expect(try await store.transaction(id: "old", realm: "alpha") == nil)
      #expect(try await store.transaction(id: "decided", realm: "alpha") == nil)
      #expect(try await store.transaction(id: "young", realm: "alpha") != nil)
    }
  }
}
