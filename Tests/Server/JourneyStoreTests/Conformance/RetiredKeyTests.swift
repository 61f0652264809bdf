import Concurrency
import EvidenceLedger
import Foundation
import StrictJSON
import Testing

@testable import JourneyStore

private let (oldID, newID) = (SharedDatabase.oldID, SharedDatabase.newID)

@Suite("A server key that is retired writes no more") struct RetiredKeyTests: KeyRotating {
  private struct Writer: Sendable {
    let name: String

    /// Whether it was stored.
    let write: @Sendable (KeyedStore) async throws -> Bool

    init(_ name: String, _ write: @escaping @Sendable (KeyedStore) async throws -> Bool) {
      (self.name, self.write) = (name, write)
    }
  }

  /// Everything that stores something sealed.
  private static let writers: [Writer] = {
    let make = RetiredKeyTests()
    return [
      Writer("a proof") { try await make.sign($0) != nil },
      Writer("evidence") { try await $0.addEvidence(.sample(), once: .fresh()) != nil },
      Writer("a binding") {
        try await $0.addBoundDevice(
          .sample("device-2"), limit: 9, evidence: .sample(.bind, device: "device-2"), once: .fresh())
          == .added
      },
      Writer("retention") {
        let later = Int64((noon + 1000).timeIntervalSince1970 * 1000)
        return try await $0.removeEvidenceContent(before: later).new > 0
      },
      Writer("a one-time code") { try await $0.addOathDevice(make.oathDevice("late"), limit: 9) },
      Writer("a push enrolment") {
        try await $0.openPushEnrolment(make.enrolment("late"))
        return true
      },
      Writer("a push message") {
        try await $0.openPushMessage(
          make.enrolment("message"), inboxes: [], limits: PushLimits(), using: nil) == .opened
      },
      Writer("a push device") {
        try await $0.completePushEnrolment(id: "open", device: make.pushDevice("late"), now: noon) == .added
      },
      Writer("a suspended journey") {
        try await $0.suspendJourney(.sample("bb"))
        return true
      },
      Writer("a secret") { try await $0.secret(named: "late") { [5] } == [5] },
      Writer("the ledger's seal") {
        try await $0.sealLedgerAgain()
        return true
      },
    ]
  }()

  /// That nothing is under the old key, and that the ledger goes on.
  private func expectSound(_ one: KeyedStore) async throws {
    try await one.refreshKeys()
    #expect(try await one.sealedCounts()[oldID] == 0)
    #expect(try await sign(one) != nil)
    try await one.sealLedgerAgain()
  }

  /// Runs `body` on each database with a server that stood still while the key was rotated and retired, and so knows of neither.
  private func withStale(
    _ body: (_ one: KeyedStore, _ stale: KeyedStore, _ keys: GivenKeys, _ database: String) async throws ->
      Void
  ) async throws {
    try await SharedDatabase.each { database in
      let (keys, stale) = (GivenKeys(SharedDatabase.old), GivenKeys(SharedDatabase.old))
      let (one, two) = (try await database.open(keys), try await database.open(stale))
      try await fill(one)
      try await rotate(one, one, (keys, keys))
      _ = try await one.encryptAgain()
      try await rotation(one).retire(oldID, isStolen: false)
      try two.serverKey.take(two.serverKey.entries, askedAt: .now)
      #expect(two.serverKey.currentID == oldID && two.serverKey.isRecent)
      try await body(one, two, stale, database.name)
      try await one.close()
      try await two.close()
    }
  }

  @Test(arguments: 0..<11)
  func `a server that missed the rotation, and has the new key, seals under that one`(index: Int) async throws
  {
    try await withStale { one, two, keys, database in
      keys.give(SharedDatabase.new)
      let writer = Self.writers[index]
      #expect(try await writer.write(two), "\(database): \(writer.name)")
      #expect(two.serverKey.currentID == newID)
      try await expectSound(one)
    }
  }

  @Test(arguments: 0..<11)
  func `a server that missed it, and lacks the new key, writes nothing and spoils nothing`(index: Int)
    async throws
  {
    try await withStale { one, two, _, database in
      let writer = Self.writers[index]
      await #expect(throws: StoreError.self, "\(database): \(writer.name)") { try await writer.write(two) }
      try await expectSound(one)
    }
  }

  @Test func `what is under way while the key is retired is under the new key, or was encrypted again`()
    async throws
  {
    try await SharedDatabase.eachWithTwo { one, two, keys in
      try await fill(one)
      try await rotate(one, two, keys)
      let isOver = Locked(false)
      // The second server never looks by itself.
      async let written = { () async throws -> Int in
        var count = 0
        while !isOver.withLock({ $0 }) {
          try await two.suspendJourney(.sample("w\(count)"))
          #expect(try await sign(two) != nil)
          count += 1
        }
        return count
      }()
      while true {
        _ = try await one.encryptAgain()
        do {
          try await rotation(one).retire(oldID, isStolen: false)
          break
        } catch is ServerKeyRotation.Refusal { continue }
      }
      isOver.withLock { $0 = true }
      let count = try await written
      try await expectSound(one)
      for number in 0..<count {
        #expect(try await one.resumeJourney(idHash: "w\(number)", realm: "alpha", now: noon) != nil)
      }
    }
  }

  @Test func `what was heard of the keys is good for the time of a lease, and then the database is asked`()
    async throws
  {
    try await SharedDatabase.eachWithTwo { one, two, keys in
      try await fill(one)
      let key = two.serverKey
      try key.take(key.entries, askedAt: .now - ServerKeyLease.length)
      #expect(!key.isRecent)
      #expect(throws: OutdatedKey.self) { try key.seal([1], named: "a") }
      #expect(throws: OutdatedKey.self) { try key.authenticationCode(for: [1], purpose: "p") }
      #expect(throws: OutdatedKey.self) { try key.seal([1], named: "a", under: oldID) }
      // What is read needs no lease.
      #expect(try await two.oathDevices.all(of: .demo).count == 1)
      #expect(!key.isRecent)
      #expect(try await sign(two) != nil)
      #expect(key.isRecent)
      try key.take(key.entries, askedAt: .now - ServerKeyLease.length / 2)
      #expect(key.isRecent)
    }
  }

  @Test func `the lease ends before a server that is not heard of counts as gone`() {
    // A server says every ten seconds that it runs, and may have looked just before the next time.
    #expect(ServerKeyLease.length < .seconds(ServerKeyRotation.absence - 10))
  }

  @Test func `an announced key that was put to use meanwhile is not withdrawn, and keeps its secrets`()
    async throws
  {
    try await SharedDatabase.eachWithTwo { one, two, keys in
      let name = ServerKeyRotation.Secret.journeys
      try await rotate(one, two, keys)
      let entries = try await two.refreshKeys()
      #expect(try await two.secret(named: name, of: entries[1]) { [2] } == [2])
      // As it was when the operator's command looked.
      var announced = entries[1]
      announced.activatedAt = nil
      #expect(try await rotation(one).withdraw(announced) == false)
      #expect(try await one.secret(named: name, of: entries[1]) { [9] } == [2])
      await #expect(throws: ServerKeyRotation.Refusal.self) {
        try await rotation(one).retire(newID, isStolen: false)
      }
    }
  }

  @Test func `a secret of a key that was withdrawn meanwhile is not left behind`() async throws {
    try await SharedDatabase.eachWithTwo { one, two, keys in
      try await fill(one)
      keys.0.give(SharedDatabase.new)
      keys.1.give(SharedDatabase.new)
      try one.serverKey.reload()
      try await rotation(one).announce(newID)
      let announced = try #require(try await two.refreshKeys().last)
      try await rotation(one).retire(newID, isStolen: false)
      let name = ServerKeyRotation.Secret.journeys
      await #expect(throws: StoreError.self) { _ = try await two.secret(named: name, of: announced) { [2] } }
      let names = try await one.rows("server_secrets", "SELECT name FROM server_secrets", []) {
        try $0.text()
      }
      #expect(!names.contains { $0.contains(newID) })
      // The next rotation is not disturbed by it.
      try await rotation(one).announce(newID)
      try await rotation(one).activate(newID)
      _ = try await one.encryptAgain()
      try await rotation(one).retire(oldID, isStolen: false)
    }
  }
}
