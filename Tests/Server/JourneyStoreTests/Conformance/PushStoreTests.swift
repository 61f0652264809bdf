import BindingFormats
import Foundation
@testable import JourneyStore
import Testing

@Suite("Push devices and messages") struct PushStoreTests {
  private func withUser(_ body: (any ServerStore) async throws -> Void) async throws {
    try await withEachStore { store in
      try await store.createUser(.sample())
      try await body(store)
    }
  }

  private func withDevice(_ body: (any ServerStore) async throws -> Void) async throws {
    try await withUser { store in
      try await store.openPushEnrolment(enrolment())
      _ = try await store.completePushEnrolment(id: "REGISTER:1", device: device(), now: noon)
      try await body(store)
    }
  }

  func enrolment(_ id: String = "REGISTER:1", limit: Int = 1) -> PushMessageRecord {
    PushMessageRecord(
      id: id, realm: "alpha", username: "demo", kind: .registration, challenge: StoredSecret([1, 2]),
      enrolment: .init(
        uuid: "uuid of \(id)", issuer: "Bank", sharedSecret: StoredSecret([3, 4]), deviceLimit: limit),
      sentAt: noon, expiresAt: noon + 60)
  }

  private func question(
    _ id: String = "AUTHENTICATE:1", type: PushMessageRecord.PushType = .code, at date: Date = noon
  ) -> PushMessageRecord {
    PushMessageRecord(
      id: id, realm: "alpha", username: "demo", kind: .authentication, type: type,
      challenge: StoredSecret([1, 2]), answer: StoredSecret("042042".utf8), sentAt: date,
      expiresAt: date + 120)
  }

  func device(_ mechanismUID: String = "m1", username: String = "demo") -> PushDeviceRecord {
    PushDeviceRecord(
      uuid: "uuid of \(mechanismUID)", realm: "alpha", username: username, deviceName: "Phone",
      mechanismUID: mechanismUID, issuer: "Bank", sharedSecret: StoredSecret(Array(0..<32)),
      communicationType: "poll", communicationID: "token", deviceType: "linux", deviceToken: "token",
      createdDate: noon, lastAccessDate: noon)
  }

  @Test func `a device answers its enrolment once, and is stored with it`() async throws {
    try await withUser { store in
      let message = enrolment()
      try await store.openPushEnrolment(message)
      #expect(try await store.pushMessage(id: message.id, realm: "ALPHA") == message)
      #expect(
        try await store.completePushEnrolment(id: message.id, device: device(), now: noon + 59) == .added)
      #expect(
        try await store.completePushEnrolment(id: message.id, device: device("m2"), now: noon + 59)
          == .notOpen)
      #expect(
        try await store.pushDevices.all(of: UniversalID(username: "DEMO", realm: "alpha")) == [device()])
      #expect(try await store.pushDevice(mechanismUID: "m1", realm: "alpha")?.username == "demo")
      let removed = try await store.removePushMessage(id: message.id, realm: "alpha")
      #expect(removed?.state == .approved && removed?.decidedBy == "m1")
      #expect(try await store.removePushMessage(id: message.id, realm: "alpha") == nil)
    }
  }

  @Test
  func `an enrolment that is late, over the limit, or names a credential of another device stores nothing`()
    async throws
  {
    try await withUser { store in
      try await store.createUser(.sample("other"))
      for id in ["REGISTER:1", "REGISTER:2", "REGISTER:3"] {
        try await store.openPushEnrolment(enrolment(id))
      }
      try await store.openPushEnrolment(enrolment("REGISTER:4", limit: 0))
      #expect(
        try await store.completePushEnrolment(id: "REGISTER:1", device: device(), now: noon + 60) == .notOpen)
      #expect(
        try await store.completePushEnrolment(id: "REGISTER:2", device: device(), now: noon) == .added)
      #expect(
        try await store.completePushEnrolment(id: "REGISTER:3", device: device("m2"), now: noon)
          == .limitReached)
      #expect(
        try await store.completePushEnrolment(id: "REGISTER:4", device: device(), now: noon) == .duplicate)
      #expect(try await store.pushMessage(id: "REGISTER:3", realm: "alpha")?.state == .pending)
      await #expect(throws: StoreError.self) {
        var message = enrolment("REGISTER:5")
        message.username = "nobody"
        try await store.openPushEnrolment(message)
      }
    }
  }

  @Test func `of many answers at once, one decides`() async throws {
    try await withDevice { store in
      #expect(try await store.openPushMessage(question(), inboxes: [], limits: .standard) == .opened)
      let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
        for index in 0..<20 {
          group.addTask {
            try await store.decidePushMessage(
              id: "AUTHENTICATE:1", realm: "alpha", as: index % 2 == 0 ? .approved : .denied, by: "m\(index)",
              reason: nil, now: noon)
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(wins == 1)
    }
  }

  @Test func `an answer counts until the message ends, and not afterwards`() async throws {
    try await withDevice { store in
      _ = try await store.openPushMessage(question(), inboxes: [], limits: .standard)
      for (seconds, counts) in [(120.0, false), (119.0, true)] {
        #expect(
          try await store.decidePushMessage(
            id: "AUTHENTICATE:1", realm: "alpha", as: .denied, by: "m1", reason: "not me",
            now: noon + seconds) == counts)
      }
      #expect(try await store.pushMessage(id: "AUTHENTICATE:1", realm: "alpha")?.reason == "not me")
    }
  }

  @Test func `the second wrong code ends a message, and wrong codes add up over messages until a success`()
    async throws
  {
    try await withDevice { store in
      let limits = PushLimits(openMessages: 9, messagesSinceSuccess: 9, wrongAnswersSinceSuccess: 3)
      for id in ["1", "2"] {
        #expect(try await store.openPushMessage(question(id), inboxes: [], limits: limits) == .opened)
      }
      func wrong(_ id: String) async throws -> Bool {
        try await store.recordWrongPushAnswer(id: id, realm: "alpha", by: "m1", limits: limits, now: noon)
      }
      #expect(try await wrong("1"))
      #expect(try await store.pushMessage(id: "1", realm: "alpha")?.state == .pending)
      #expect(try await wrong("1"))
      #expect(try await store.pushMessage(id: "1", realm: "alpha")?.state == .denied)
      #expect(try await !wrong("1"))
      #expect(try await wrong("2"))
      #expect(
        try await store.openPushMessage(question("3"), inboxes: [], limits: limits) == .tooManyWrongAnswers)
      #expect(
        try await store.decidePushMessage(
          id: "2", realm: "alpha", as: .approved, by: "m1", reason: nil, now: noon))
      // A denied message is no success.
      let use = PushUse(by: .demo, scope: LockoutScope(.pushAnswers), at: noon)
      _ = try await store.usePushMessage(id: "1", for: use, using: nil)
      #expect(
        try await store.openPushMessage(question("3"), inboxes: [], limits: limits) == .tooManyWrongAnswers)
      _ = try await store.usePushMessage(id: "2", for: use, using: nil)
      #expect(try await store.openPushMessage(question("3"), inboxes: [], limits: limits) == .opened)
    }
  }

  @Test
  func `the step of a journey is consumed in the write that opens its message, also when a limit refuses it`()
    async throws
  {
    try await withUser { store in
      let limits = PushLimits(openMessages: 1)
      func open(_ id: String, _ step: UInt8) async throws -> PushOpening {
        try await store.openPushMessage(
          question(id), inboxes: [], limits: limits, using: OnceKey(key: [step], expiry: noon + 300))
      }
      let first = try await open("1", 1)
      #expect(first == .opened)
      #expect(try await open("2", 1) == .stepWasUsed)
      #expect(try await store.pushMessage(id: "2", realm: "alpha") == nil)
      #expect(try await open("2", 2) == .tooManyOpen)
      #expect(try await open("3", 2) == .stepWasUsed)
      #expect(try await !store.consume([1], until: noon + 300))
    }
  }

  @Test func `who signs in by an approval takes the message, uses the step up and forgets, in one write`()
    async throws
  {
    try await withUser { store in
      try await store.openPushEnrolment(enrolment())
      _ = try await store.completePushEnrolment(id: "REGISTER:1", device: device(), now: noon)
      let limits = PushLimits(messagesSinceSuccess: 1)
      #expect(try await store.openPushMessage(question("1"), inboxes: [], limits: limits) == .opened)
      _ = try await store.decidePushMessage(
        id: "1", realm: "alpha", as: .approved, by: "m1", reason: nil, now: noon)
      let scope = LockoutScope(.passwords)
      _ = try await store.recordFailure(of: .demo, scope: scope, policy: LockoutPolicy(), now: noon)
      let use = PushUse(by: .demo, scope: scope, at: noon + 5)
      let step = OnceKey(key: [1], expiry: noon + 300)
      let usage = try await store.usePushMessage(id: "1", for: use, using: step)
      guard case .taken(let message?, isLocked: false) = usage else {
        Issue.record("\(usage)")
        return
      }
      #expect(message.state == .approved && message.decidedBy == "m1")
      #expect(try await store.lockout(of: .demo, scope: scope) == LockoutState())
      #expect(try await store.pushDevices.all(of: .demo).first?.lastAccessDate == noon + 5)
      #expect(try await store.usePushMessage(id: "1", for: use, using: step) == .stepWasUsed)
      #expect(
        try await store.usePushMessage(id: "1", for: use, using: nil) == .taken(nil, isLocked: false))
      #expect(try await store.openPushMessage(question("2"), inboxes: [], limits: limits) == .opened)
    }
  }

  @Test(arguments: [PushMessageRecord.State.approved, .denied])
  func `nobody decides by a device that has been removed, nor counts a wrong answer`(
    state: PushMessageRecord.State
  )
    async throws
  {
    try await withDevice { store in
      #expect(try await store.openPushMessage(question("1"), inboxes: [], limits: .standard) == .opened)
      #expect(try await store.pushDevices.delete(device().uuid, of: .demo) != nil)
      let isDecided = try await store.decidePushMessage(
        id: "1", realm: "alpha", as: state, by: "m1", reason: nil, now: noon)
      #expect(!isDecided)
      #expect(
        try await !store.recordWrongPushAnswer(
          id: "1", realm: "alpha", by: "m1", limits: .standard, now: noon))
      let message = try await store.pushMessage(id: "1", realm: "alpha")
      #expect(message?.state == .pending && message?.wrongAnswers == 0)
      #expect(try await store.pushDecisions(EvidenceQuery(realm: "alpha", limit: 10)).isEmpty)
    }
  }

  @Test func `nor by another account's`() async throws {
    try await withDevice { store in
      try await store.createUser(.sample("other"))
      var message = question("1")
      message.username = "other"
      #expect(try await store.openPushMessage(message, inboxes: [], limits: .standard) == .opened)
      #expect(
        try await !store.decidePushMessage(
          id: "1", realm: "alpha", as: .approved, by: "m1", reason: nil, now: noon))
    }
  }

  @Test func `an approval is worth nothing once its device has been removed, and forgets nothing`()
    async throws
  {
    try await withDevice { store in
      let limits = PushLimits(messagesSinceSuccess: 1)
      #expect(try await store.openPushMessage(question("1"), inboxes: [], limits: limits) == .opened)
      #expect(
        try await store.decidePushMessage(
          id: "1", realm: "alpha", as: .approved, by: "m1", reason: nil, now: noon))
      let scope = LockoutScope(.pushAnswers)
      _ = try await store.recordFailure(of: .demo, scope: scope, policy: LockoutPolicy(), now: noon)
      #expect(try await store.pushDevices.reset(.demo).count == 1)
      let usage = try await store.usePushMessage(
        id: "1", for: PushUse(by: .demo, scope: scope, at: noon + 1), using: nil)
      guard case .taken(let message?, isLocked: false) = usage else {
        Issue.record("\(usage)")
        return
      }
      #expect(message.state == .denied)
      #expect(try await store.lockout(of: .demo, scope: scope).consecutiveFailures == 1)
      #expect(
        try await store.openPushMessage(question("2"), inboxes: [], limits: limits) == .tooManySinceSuccess)
      #expect(try await store.pushMessage(id: "1", realm: "alpha") == nil)
    }
  }

  @Test(arguments: ["locked", "denied", "of another account"])
  func `a message by which nobody may sign in is taken, and nothing is forgotten`(why: String) async throws {
    try await withDevice { store in
      try await store.createUser(.sample("other"))
      let limits = PushLimits(messagesSinceSuccess: 1)
      #expect(try await store.openPushMessage(question("1"), inboxes: [], limits: limits) == .opened)
      _ = try await store.decidePushMessage(
        id: "1", realm: "alpha", as: why == "denied" ? .denied : .approved, by: "m1", reason: nil, now: noon)
      let scope = LockoutScope(.passwords)
      for _ in 0..<(why == "locked" ? LockoutPolicy().failureLimit : 1) {
        _ = try await store.recordFailure(of: .demo, scope: scope, policy: LockoutPolicy(), now: noon)
      }
      let before = try await store.lockout(of: .demo, scope: scope)
      let account = why == "of another account" ? UniversalID.other : .demo
      let usage = try await store.usePushMessage(
        id: "1", for: PushUse(by: account, scope: scope, at: noon + 1), using: nil)
      guard case .taken(.some, let isLocked) = usage else {
        Issue.record("\(usage)")
        return
      }
      #expect(isLocked == (why == "locked"))
      #expect(try await store.lockout(of: .demo, scope: scope) == before)
      #expect(try await store.pushMessage(id: "1", realm: "alpha") == nil)
      #expect(
        try await store.openPushMessage(question("2"), inboxes: [], limits: limits) == .tooManySinceSuccess)
    }
  }

  @Test func `open messages and messages since the last success are limited, and an hour's quiet forgets`()
    async throws
  {
    try await withUser { store in
      let limits = PushLimits(openMessages: 2, messagesSinceSuccess: 3)
      func open(_ id: String, _ seconds: TimeInterval) async throws -> PushOpening {
        try await store.openPushMessage(question(id, at: noon + seconds), inboxes: [], limits: limits)
      }
      #expect(try await open("1", 0) == .opened)
      #expect(try await open("2", 0) == .opened)
      #expect(try await open("3", 0) == .tooManyOpen)
      #expect(try await open("3", 120) == .opened)
      #expect(try await open("4", 240) == .tooManySinceSuccess)
      #expect(try await open("4", 120 + 3600) == .opened)
      // What a clock that was a year ahead has counted stops nobody for a year.
      #expect(try await open("7", 365 * 86_400) == .opened)
      #expect(try await open("8", 365 * 86_400) == .opened)
      #expect(try await open("9", 365 * 86_400) == .tooManyOpen)
      for (id, seconds) in [("9", 7200.0), ("10", 7320), ("11", 7440)] {
        #expect(try await open(id, seconds) == .opened)
      }
      #expect(try await open("12", 7560) == .tooManySinceSuccess)
      try await store.createUser(.sample("other"))
      var foreign = question("6")
      foreign.username = "nobody"
      #expect(try await store.openPushMessage(foreign, inboxes: [], limits: limits) == .noSuchUser)
    }
  }

  @Test func `a device finds its own open messages, oldest first, until they are decided or over`()
    async throws
  {
    try await withDevice { store in
      for (id, seconds) in [("b", 1.0), ("a", 2.0), ("c", 0.0)] {
        let items = ["m1", "m2"].map {
          PushInboxItem(messageID: id, mechanismUID: $0, message: "\(id) for \($0)")
        }
        #expect(
          try await store.openPushMessage(
            question(id, at: noon + seconds), inboxes: id == "a" ? [items[0]] : items, limits: .standard)
            == .opened)
      }
      func messages(_ uid: String, _ seconds: TimeInterval) async throws -> [String] {
        try await store.pushInbox(mechanismUID: uid, realm: "Alpha", now: noon + seconds).map(\.message)
      }
      #expect(try await messages("m1", 3) == ["c for m1", "b for m1", "a for m1"])
      #expect(try await messages("m2", 3) == ["c for m2", "b for m2"])
      #expect(try await messages("m3", 3) == [])
      #expect(try await messages("m2", 120) == ["b for m2"])
      try await store.notePushFetch(messageIDs: ["c", "a"], mechanismUID: "m1", realm: "alpha")
      let fetched = try await store.pushInbox(mechanismUID: "m1", realm: "alpha", now: noon + 3)
      #expect(fetched.map(\.wasFetched) == [true, false, true])
      _ = try await store.decidePushMessage(
        id: "c", realm: "alpha", as: .approved, by: "m1", reason: nil, now: noon + 3)
      #expect(try await messages("m2", 3) == ["b for m2"])
    }
  }

  @Test func `a device's news are stored in the order in which it signed them`() async throws {
    try await withUser { store in
      try await store.openPushEnrolment(enrolment())
      _ = try await store.completePushEnrolment(id: "REGISTER:1", device: device(), now: noon)
      func refresh(_ token: String, _ seconds: TimeInterval?, name: String? = nil) async throws -> Bool {
        try await store.refreshPushDevice(
          mechanismUID: "m1", realm: "alpha",
          with: PushDeviceRefresh(
            deviceToken: token, communicationID: token, communicationType: "poll", deviceType: "linux",
            deviceName: name, issuedAt: seconds.map { noon + $0 }))
      }
      #expect(try await refresh("peer", nil, name: "New name"))
      #expect(try await refresh("a", 10))
      #expect(try await refresh("b", 20))
      #expect(try await !refresh("a", 10))
      #expect(try await !refresh("b", 20))
      #expect(try await !refresh("peer", nil))
      #expect(try await refresh("b", nil))
      let stored = try await store.pushDevice(mechanismUID: "m1", realm: "alpha")
      #expect(stored?.deviceToken == "b" && stored?.deviceName == "New name")
    }
  }

  @Test func `a token is retired once, until the device tells its token again`() async throws {
    try await withUser { store in
      try await store.openPushEnrolment(enrolment())
      _ = try await store.completePushEnrolment(id: "REGISTER:1", device: device(), now: noon)
      func retire(
        _ seconds: TimeInterval, token: String = "token", of uid: String = "m1"
      ) async throws -> Bool {
        try await store.retirePushToken(
          mechanismUID: uid, realm: "ALPHA", token: token, at: noon + seconds)
      }
      func retiredAt() async throws -> Date? {
        try await store.pushDevice(mechanismUID: "m1", realm: "alpha")?.tokenRetiredAt
      }
      #expect(try await !retire(1, token: "another"))
      #expect(try await !retire(1, of: "m2"))
      #expect(try await !retire(-1), "the device registered after the token was found dead")
      #expect(try await retiredAt() == nil)
      #expect(try await retire(5))
      #expect(try await !retire(6))
      #expect(try await retiredAt() == noon + 5)
      #expect(
        try await store.pushDevices.all(of: .demo).map(\.tokenRetiredAt) == [noon + 5])
      let refresh = PushDeviceRefresh(
        deviceToken: "token", communicationID: "token", communicationType: "apns", deviceType: "ios",
        issuedAt: noon + 10)
      #expect(try await store.refreshPushDevice(mechanismUID: "m1", realm: "alpha", with: refresh))
      #expect(try await retiredAt() == nil)
      #expect(try await !retire(9), "what was found before the refresh counts no more")
      #expect(try await retire(11))
    }
  }

  @Test func `devices are renamed and removed by their own user's name`() async throws {
    try await withUser { store in
      try await store.openPushEnrolment(enrolment())
      _ = try await store.completePushEnrolment(id: "REGISTER:1", device: device(), now: noon)
      let uuid = device().uuid
      #expect(
        try await store.pushDevices.rename(uuid, of: .other, to: "X") == nil)
      #expect(
        try await store.pushDevices.rename(uuid, of: .demo, to: "X")?.deviceName
          == "X")
      #expect(try await store.openPushMessage(question("1"), inboxes: [], limits: .standard) == .opened)
      #expect(
        try await store.decidePushMessage(
          id: "1", realm: "alpha", as: .approved, by: "m1", reason: nil, now: noon))
      let use = PushUse(by: .demo, scope: LockoutScope(.pushAnswers), at: noon + 5)
      _ = try await store.usePushMessage(id: "1", for: use, using: nil)
      #expect(
        try await store.pushDevices.delete(uuid, of: .demo)?.lastAccessDate
          == noon + 5)
      #expect(try await store.pushDevices.reset(.demo).isEmpty)
    }
  }

  @Test func `the wish to do without push is kept, and goes with the account like everything else`()
    async throws
  {
    try await withUser { store in
      #expect(try await store.pushDevices.skipSetting(of: .demo) == .notSet)
      #expect(
        try await store.pushDevices.set(.skippable, of: UniversalID(username: "Demo", realm: "alpha")))
      #expect(try await store.pushDevices.skipSetting(of: .demo) == .skippable)
      #expect(
        try await !store.pushDevices.set(.skippable, of: UniversalID(username: "nobody", realm: "alpha")))
      _ = try await store.openPushMessage(
        question(), inboxes: [PushInboxItem(messageID: "AUTHENTICATE:1", mechanismUID: "m1", message: "m")],
        limits: .standard)
      _ = try await store.deleteUser(.demo)
      #expect(try await store.pushMessage(id: "AUTHENTICATE:1", realm: "alpha") == nil)
      #expect(try await store.pushInbox(mechanismUID: "m1", realm: "alpha", now: noon) == [])
      #expect(try await store.pushDevices.skipSetting(of: .demo) == .notSet)
    }
  }

  @Test func `a recovery code is used once, and new codes replace the old ones`() async throws {
    try await withUser { store in
      try await store.setRecoveryCodes([[1], [2]], kind: "PUSH", of: .demo)
      try await store.setRecoveryCodes([[1]], kind: "OATH", of: .demo)
      func use(_ code: UInt8) async throws -> Bool {
        try await store.useRecoveryCode([code], kind: "PUSH", of: .demo)
      }
      #expect(try await use(1))
      #expect(try await !use(1))
      try await store.setRecoveryCodes([[3]], kind: "PUSH", of: .demo)
      #expect(try await !use(2))
      #expect(try await use(3))
      #expect(try await store.useRecoveryCode([1], kind: "OATH", of: .demo))
    }
  }

  @Test func `an ended message is kept for the journey that sent it, then removed`() async throws {
    try await withUser { store in
      _ = try await store.openPushMessage(question(), inboxes: [], limits: .standard)
      try await store.removeExpired(now: noon + 120 + 899)
      #expect(try await store.pushMessage(id: "AUTHENTICATE:1", realm: "alpha") != nil)
      try await store.removeExpired(now: noon + 120 + 900)
      #expect(try await store.pushMessage(id: "AUTHENTICATE:1", realm: "alpha") == nil)
    }
  }

  @Test func `decisions stay when message, device and user go, and wrong answers that end a message are one`()
    async throws
  {
    try await withUser { store in
      try await store.openPushEnrolment(enrolment())
      _ = try await store.completePushEnrolment(id: "REGISTER:1", device: device(), now: noon)
      for number in 1...3 {
        _ = try await store.openPushMessage(
          question("AUTHENTICATE:\(number)"), inboxes: [], limits: .standard)
      }
      _ = try await store.decidePushMessage(
        id: "AUTHENTICATE:1", realm: "alpha", as: .approved, by: "m1", reason: nil, now: noon + 1)
      _ = try await store.decidePushMessage(
        id: "AUTHENTICATE:2", realm: "alpha", as: .denied, by: "m1", reason: "not me", now: noon + 2)
      for _ in 0..<3 {
        _ = try await store.recordWrongPushAnswer(
          id: "AUTHENTICATE:3", realm: "alpha", by: "m1", limits: .standard, now: noon + 3)
      }
      _ = try await store.deleteUser(.demo)
      let all = try await store.pushDecisions(EvidenceQuery(realm: "ALPHA", username: "DEMO", limit: 10))
      #expect(all.map(\.state) == [.denied, .denied, .approved])
      #expect(all.map(\.reason) == ["wrong number or code", "not me", nil])
      #expect(all.map(\.device) == ["uuid of m1", "uuid of m1", "uuid of m1"])
      #expect(all.map(\.decidedAt) == [noon + 3, noon + 2, noon + 1] && all[0].deviceName == "Phone")
      let query = EvidenceQuery(before: all[1].number, limit: 10)
      #expect(try await store.pushDecisions(query).map(\.messageID) == ["AUTHENTICATE:1"])
      #expect(try await store.pushDecisions(EvidenceQuery(realm: "root", limit: 10)).isEmpty)
      // A name is one person's in a realm only.
      #expect(try await store.pushDecisions(EvidenceQuery(username: "demo", limit: 10)).isEmpty)
      try await store.removeExpired(now: noon + 399 * 86_400)
      #expect(try await store.pushDecisions(query).count == 1)
      try await store.removeExpired(now: noon + 401 * 86_400)
      #expect(try await store.pushDecisions(query).isEmpty)
    }
  }

  @Test func `one look finds all devices with messages that they have not fetched, and all that are gone`()
    async throws
  {
    try await withUser { store in
      try await store.openPushEnrolment(enrolment())
      _ = try await store.completePushEnrolment(id: "REGISTER:1", device: device(), now: noon)
      let items = ["m1", "m2"].map {
        PushInboxItem(messageID: "AUTHENTICATE:1", mechanismUID: $0, message: "token")
      }
      _ = try await store.openPushMessage(question(), inboxes: items, limits: .standard)
      let (one, two) = (
        PushAddress(realm: "alpha", mechanismUID: "m1"), PushAddress(realm: "alpha", mechanismUID: "m2")
      )
      #expect(try await store.pushDevicesWithNews(now: noon) == [one, two])
      try await store.notePushFetch(messageIDs: ["AUTHENTICATE:1"], mechanismUID: "m1", realm: "alpha")
      #expect(try await store.pushDevicesWithNews(now: noon) == [two])
      #expect(try await store.pushDevicesWithNews(now: noon + 120).isEmpty)
      #expect(try await store.existingPushDevices(among: [one, two]) == [one])
      let elsewhere = PushAddress(realm: "root", mechanismUID: "m1")
      #expect(try await store.existingPushDevices(among: [elsewhere]).isEmpty)
    }
  }
}
