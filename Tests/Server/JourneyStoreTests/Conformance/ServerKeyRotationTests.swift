import Bytes
import Concurrency
import CommonFixtures
import EvidenceLedger
import Foundation
import JourneyStorePostgres
import OATH
import PostgresFixtures
import Testing

@testable import JourneyStore

private let (old, oldID) = (SharedDatabase.old, SharedDatabase.oldID)
private let (new, newID) = (SharedDatabase.new, SharedDatabase.newID)

@Suite("Rotation of the server key") struct ServerKeyRotationTests: KeyRotating {
  private func expectFilled(_ store: KeyedStore) async throws {
    #expect(try await store.secret(named: "seal") { [] } == [7])
    #expect(try await store.oathDevices.all(of: .demo).contains(oathDevice("o1")))
    #expect(try await store.pushMessage(id: "open", realm: "alpha") == enrolment("open"))
    #expect(try await store.pushDevices.all(of: .demo) == [pushDevice("p1")])
  }

  @Test func `what the old key encrypted is read throughout, and in the end nothing needs it`() async throws {
    try await SharedDatabase.eachWithTwo { one, two, keys in
      try await fill(one)
      try await rotate(one, two, keys)
      try await expectFilled(one)
      #expect(one.serverKey.currentID == newID)
      // The other one has not looked again: it reads what is new, and still encrypts under the old key.
      #expect(two.serverKey.currentID == oldID)
      #expect(try await one.addOathDevice(oathDevice("o2"), limit: 9))
      #expect(try await two.oathDevices.all(of: .demo).count == 2)
      #expect(try await two.addOathDevice(oathDevice("o3"), limit: 9))
      #expect(try await one.oathDevices.all(of: .demo).count == 3)
      #expect(try await sign(two) == 2)
      #expect(try await sign(one) == 3)
      try await two.refreshKeys()

      let before = try await one.sealedCounts()
      #expect(before[newID] == 1)
      let count = try await one.encryptAgain(batch: 2)
      #expect(count == before[oldID])
      #expect(try await one.sealedCounts()[oldID] == 0)
      #expect(try await one.encryptAgain() == 0)
      try await expectFilled(two)
      try await rotation(one).retire(oldID, isStolen: false)
      try await two.refreshKeys()
      try await expectFilled(one)
      try await expectFilled(two)
      #expect(try await sign(two) == 4)
      let suspended = try await two.resumeJourney(idHash: "aa", realm: "alpha", now: noon)
      #expect(suspended == SuspendedJourneyRecord.sample().content)
    }
  }

  @Test func `all lanes of the ledger, and what retention removed, are sealed under the new key`()
    async throws
  {
    try await withFolder { folder in
      let address = try await PostgresServer.shared.createDatabase()
      let keys = GivenKeys(old)
      let open = { try await PostgresStore.open(address, directory: folder, keys: [$0], lanes: 4) }
      let store = try await open(keys)
      let first = try await inParallel(40) { number in
        try await store.addEvidence(.sample(at: noon + Double(number)), once: .fresh())
      }.compactMap(\.self)
      _ = try await store.export(at: noon) { _ in }
      let later = Int64(noon.addingTimeInterval(1000).timeIntervalSince1970 * 1000)
      #expect(try await store.removeEvidenceContent(before: later).removed == 40)
      keys.give(new)
      try store.serverKey.reload()
      let rotation = rotation(store)
      try await rotation.announce(newID)
      try await rotation.activate(newID)
      _ = try await store.encryptAgain()
      try await rotation.retire(oldID, isStolen: true)
      try await store.close()

      // A server that never had the old key goes on in every lane.
      let next = try await open(GivenKeys(new))
      let second = try await inParallel(40) { number in
        try await next.addEvidence(.sample(at: noon + Double(number)), once: .fresh())
      }.compactMap(\.self)
      // The lowest six bits of a number are its lane.
      #expect(Set(first.map { $0 & 63 }) == Set(second.map { $0 & 63 }))
      #expect(try await next.export(at: noon) { _ in }.count == 80)
      try await next.close()
    }
  }

  @Test func `a server that runs without the new key stops the second phase, and is named`() async throws {
    try await SharedDatabase.eachWithTwo { one, two, keys in
      keys.0.give(new)
      try one.serverKey.reload()
      try await one.noteKeys([oldID, newID], of: "first")
      try await two.noteKeys([oldID], of: "second")
      try await rotation(one).announce(newID)
      await #expect {
        try await rotation(one).activate(newID)
      } throws: {
        "\($0)".contains("second") && !"\($0)".contains("first")
      }
      #expect(one.serverKey.currentID == oldID)
      // It finds the key by itself once somebody has put it there.
      keys.1.give(new)
      try await two.refreshKeys()
      #expect(two.serverKey.has(newID))
      try await two.noteKeys([oldID, newID], of: "second")
      try await rotation(one).activate(newID)
      #expect(one.serverKey.currentID == newID)

      // The old key goes when nobody encrypts under it any more.
      await #expect {
        try await rotation(one).retire(oldID, isStolen: false)
      } throws: {
        "\($0)".contains("second")
      }
      try await two.forgetKeys(of: "second")
      await #expect {
        try await rotation(one).retire(oldID, isStolen: false)
      } throws: {
        "\($0)".contains("first")
      }
    }
  }

  @Test func `a server without the key in use neither encrypts nor calls the data damaged`() async throws {
    try await SharedDatabase.eachWithTwo { one, two, keys in
      try await fill(one)
      keys.0.give(new)
      try one.serverKey.reload()
      try await rotation(one).announce(newID)
      try await rotation(one).activate(newID)
      _ = try await one.encryptAgain()
      try await two.refreshKeys()
      func isPlain(_ error: any Error) -> Bool {
        guard case .unavailable(let detail)? = error as? StoreError else { return false }
        return detail.contains(newID) && detail.contains("keys of a test")
      }
      await #expect {
        try await two.oathDevices.all(of: .demo)
      } throws: {
        isPlain($0)
      }
      await #expect {
        try await two.addOathDevice(oathDevice("o2"), limit: 9)
      } throws: {
        isPlain($0)
      }
      keys.1.give(new)
      try await two.refreshKeys()
      try await expectFilled(two)
    }
  }

  @Test func `a server with another key does not start, nor does one with the retired key alone`()
    async throws
  {
    try await SharedDatabase.each { database in
      let keys = GivenKeys(old)
      let store = try await database.open(keys)
      try await fill(store)
      let stranger = GivenKeys([UInt8](repeating: 9, count: 32), place: "the wrong place")
      await #expect {
        try await database.open(stranger)
      } throws: { error in
        guard case .corrupt(let detail)? = error as? StoreError else { return false }
        return detail.contains("the wrong place") && detail.contains(oldID)
      }
      try await rotate(store, store, (keys, keys))
      _ = try await store.encryptAgain()
      try await rotation(store).retire(oldID, isStolen: false)
      try await store.close()
      await #expect {
        try await database.open(GivenKeys(old))
      } throws: {
        "\($0)".contains(newID)
      }
      let again = try await database.open(GivenKeys(new))
      try await expectFilled(again)
      #expect(try await sign(again) == 2)
      try await again.close()
    }
  }

  @Test func `encryption that was interrupted goes on where it was, also by two at once`() async throws {
    struct Killed: Error {}
    try await SharedDatabase.eachWithTwo { one, two, keys in
      try await fill(one)
      for number in 2..<12 { #expect(try await one.addOathDevice(oathDevice("o\(number)"), limit: 99)) }
      try await rotate(one, two, keys)
      try await two.refreshKeys()
      let total = try #require(try await one.sealedCounts()[oldID])
      var done = 0
      let counted = Locked(0)
      await #expect(throws: Killed.self) {
        try await one.encryptAgain(batch: 3) { count in
          counted.withLock { $0 = count }
          if count >= 4 { throw Killed() }
        }
      }
      done = counted.withLock { $0 }
      #expect(try await one.sealedCounts()[oldID] == total - done)
      try await expectFilled(one)
      async let first = one.encryptAgain(batch: 1)
      async let second = two.encryptAgain(batch: 1)
      let rest = try await first + second
      #expect(rest == total - done)
      #expect(try await one.sealedCounts() == [oldID: 0, newID: total])
      try await expectFilled(two)
    }
  }

  @Test func `nothing is retired while a secret needs it`() async throws {
    try await SharedDatabase.eachWithTwo { one, two, keys in
      try await fill(one)
      try await rotate(one, two, keys)
      await #expect {
        try await rotation(one).retire(oldID, isStolen: true)
      } throws: {
        "\($0)".contains("reencrypt")
      }
      await #expect(throws: ServerKeyRotation.Refusal.self) {
        try await rotation(one).retire(newID, isStolen: false)
      }
      try await expectFilled(one)
    }
  }

  @Test func `what a retired key made counts no more`() async throws {
    try await SharedDatabase.eachWithTwo { one, two, keys in
      try await fill(one)
      let before = try await one.rows("oath_devices", "SELECT sealed FROM oath_devices", []) {
        try $0.bytes()
      }
      let seal = try await one.rows("evidence_ledger", "SELECT seal FROM evidence_ledger", []) {
        try $0.bytes()
      }
      try await rotate(one, two, keys)
      _ = try await one.encryptAgain()
      try await rotation(one).retire(oldID, isStolen: false)
      try await one.attack(
        SQLStatement("UPDATE oath_devices SET sealed = ?", [before[0]]),
        SQLStatement("UPDATE evidence_ledger SET seal = ?", [seal[0]]))
      await #expect {
        try await one.oathDevices.all(of: .demo)
      } throws: {
        "\($0)".contains("retired")
      }
      await #expect(throws: StoreError.self) { try await sign(one) }
    }
  }

  @Test func `somebody who changes the database does not bring an old key back into use`() async throws {
    try await SharedDatabase.eachWithTwo { one, two, keys in
      try await rotate(one, two, keys)
      try await two.refreshKeys()
      _ = try await one.change(
        "an attack",
        [SQLStatement("UPDATE server_keys SET activated_at = NULL WHERE generation > 0", [])])
      try await two.refreshKeys()
      #expect(two.serverKey.currentID == newID)
    }
  }

  @Test(arguments: [
    "UPDATE server_keys SET retired_at = NULL", "DELETE FROM server_keys WHERE generation = 0",
  ])
  func `somebody who changes the database does not make a retired key count again`(attack: String)
    async throws
  {
    try await SharedDatabase.eachWithTwo { one, two, keys in
      try await fill(one)
      let before = try await one.rows("oath_devices", "SELECT sealed FROM oath_devices", []) {
        try $0.bytes()
      }
      try await rotate(one, two, keys)
      _ = try await one.encryptAgain()
      try await rotation(one).retire(oldID, isStolen: false)
      try await one.attack(
        SQLStatement(SQL(attack)),
        SQLStatement("UPDATE oath_devices SET sealed = ?", [before[0]]))
      try await one.refreshKeys()
      await #expect(throws: StoreError.self) { try await one.oathDevices.all(of: .demo) }
    }
  }

  @Test func `of two rotations at once one is announced; it can be taken back`() async throws {
    try await SharedDatabase.eachWithTwo { one, two, keys in
      let other = [UInt8](repeating: 3, count: 32)
      keys.0.give(new)
      keys.1.give(other)
      try one.serverKey.reload()
      try two.serverKey.reload()
      let otherID = LoadedServerKey(bytes: other, place: "").id
      async let first: Void = rotation(one).announce(newID)
      async let second: Void = rotation(two).announce(otherID)
      var refused = 0
      do { try await first } catch is ServerKeyRotation.Refusal { refused += 1 }
      do { try await second } catch is ServerKeyRotation.Refusal { refused += 1 }
      #expect(refused == 1)
      let announced = try #require(try await one.refreshKeys().last)
      #expect(announced.generation == 1)
      _ = try await one.secret(named: ServerKeyRotation.Secret.journeys, of: one.serverKey.entries[0]) { [1] }
      try await rotation(one).retire(announced.id, isStolen: false)
      #expect(try await two.refreshKeys().map(\.id) == [oldID])
    }
  }

  @Test func `each key has secrets of its own, the same at all servers; a revoked key's are gone`()
    async throws
  {
    try await SharedDatabase.eachWithTwo { one, two, keys in
      let name = ServerKeyRotation.Secret.journeys
      // As versions before rotation made it.
      #expect(try await one.secret(named: name) { [1] } == [1])
      try await rotate(one, two, keys)
      let entries = try await two.refreshKeys()
      #expect(try await two.secret(named: name, of: entries[0]) { [9] } == [1])
      #expect(try await two.secret(named: name, of: entries[1]) { [2] } == [2])
      #expect(try await one.secret(named: name, of: entries[1]) { [9] } == [2])
      _ = try await one.encryptAgain()
      try await rotation(one).retire(oldID, isStolen: false)
      // A journey of the old key's time goes on.
      #expect(try await one.secret(named: name, of: one.serverKey.entries[0]) { [9] } == [1])
      try await rotation(one).retire(oldID, isStolen: true)
      #expect(one.serverKey.entries[0].isRevoked)
      #expect(try await one.secret(named: name, of: one.serverKey.entries[0]) { [9] } == nil)
      #expect(try await one.secret(named: name, of: one.serverKey.entries[1]) { [9] } == [2])
    }
  }

  @Test func `until the first rotation secrets are stored as versions before it do`() async throws {
    try await SharedDatabase.each { database in
      let store = try await database.open(GivenKeys(old))
      _ = try await store.secret(named: "seal") { [1, 2, 3] }
      let stored = try await store.rows(
        "server_secrets", "SELECT sealed FROM server_secrets WHERE name = 'seal'", []
      ) { try $0.bytes() }
      // Nonce and tag of AES-GCM.
      #expect(stored[0].count == 3 + 12 + 16)
      try await store.close()
    }
  }
}
