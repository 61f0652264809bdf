@testable import Assembly
import BindingFormats
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
@testable import JourneyStore
import Logging
import PasswordHashing
@testable import PushService
import StrictJSON
import Testing

@testable import JourneyFiles
@testable import Operations
@testable import ServerHTTP

@Suite("Push when several act at once") struct PushClusterTests {
  /// Two servers on one database.
  private func withTwo(
    _ body: @Sendable (_ one: LocalServer, _ two: LocalServer) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder.make()
    let (clock, log) = (ManualDate(LocalServer.morning), Locked<[String]>([]))
    var configuration = LocalServer.configuration(clock: clock, log: log)
    configuration.dataDirectory = folder.url
    configuration.publicURL = "https://id.example.com/am"
    let one = try await SealringServer.make(configuration)
    let two = try await SealringServer.make(configuration)
    try await one.createUser("ada", password: Secret("ada-password"), realm: "alpha")
    try await one.application().test(.router) { client in
      let first = LocalServer(server: one, client: client, clock: clock, log: log)
      try await two.application().test(.router) { client in
        try await body(first, LocalServer(server: two, client: client, clock: clock, log: log))
      }
    }
    try await one.close()
    try await two.close()
  }

  @Test func `what one server has sent is fetched from, answered through and finished at the other`()
    async throws
  {
    try await withTwo { one, two in
      let phone = try await one.enrolled()
      for journey in ["PushSignIn", "PushCode"] {
        // Waits at one server while the other sends.
        async let messages = phone.poll(two, wait: 30)
        let step = try await one.signedIn(journey)
        let message = try #require(try await messages.first)
        var extra = JSONObject()
        extra["challengeResponse"] = step.hidden("pushChallengeNumber").map(JSONValue.string)
        #expect(try await phone.answer(message, at: two, extra).status == 200)
        #expect(try await phone.answer(message, at: one, extra).errorCode == "notOpen")
        #expect(try await two.wait(step)["tokenId"] != nil)
      }
    }
  }

  /// Between the answer and the end of these journeys, nodes compare and raise the level.
  @Test(arguments: ["PushSignIn", "PushNumber", "PushCode", "PushBiometric"])
  func `the last page of an approval is one commit, and a used message makes no session`(journey: String)
    async throws
  {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      var counts: [Int] = []
      for _ in 1...3 {
        let step = try await server.signedIn(journey)
        let message = try #require(try await phone.poll(server).first)
        var extra = JSONObject()
        extra["challengeResponse"] = step.hidden("pushChallengeNumber").map(JSONValue.string)
        #expect(try await phone.answer(message, at: server, extra).status == 200)
        let before = server.store.load.waits
        #expect(try await server.wait(step)["tokenId"] != nil)
        counts.append(server.store.load.waits - before)
        #expect(try await server.wait(step)["tokenId"] == nil)
      }
      // The fewest: the server looks after other things meanwhile.
      #expect(counts.min() == 1, "\(counts)")
    }
  }

  @Test
  func `the stream of one server brings what the other has sent, and ends when the other removes the device`()
    async throws
  {
    try await withTwo { one, two in
      let phone = try await one.enrolled()
      let watcher = PushMessageWatcher(
        store: two.store, direct: two.server.direct, clock: { two.clock.now }, logger: Logger(label: "test"))
      async let body = phone.stream(two)
      try await eventually("the stream is open") { !two.server.direct.listening.isEmpty }
      let step = try await one.signedIn("PushSignIn")
      try await watcher.look(atAll: false)
      try await eventually("the stream has fetched the message") {
        try await two.store.pushDevicesWithNews(now: two.clock.now).isEmpty
      }
      let message = try #require(try await phone.poll(two).first)
      #expect(try await phone.answer(message, at: two).status == 200)
      #expect(try await one.wait(step)["tokenId"] != nil)
      #expect(try await one.store.pushDevices.reset(UniversalID(username: "ada", realm: "alpha")).count == 1)
      try await watcher.look(atAll: true)
      let text = try await body
      #expect(text.contains("id: \(message.id)\ndata: {\"messageId\":\"\(message.id)\","))
      #expect(two.server.direct.listening.isEmpty)
    }
  }

  @Test
  func `a stream begins with what is open, brings the rest as it comes, each once, and ends with its device`()
    async throws
  {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      let first = try await server.signedIn("PushSignIn")
      async let body = phone.stream(server)
      try await eventually("the stream is open") { !server.server.direct.listening.isEmpty }
      // Messages of one moment have no order.
      server.clock.advance(by: 1)
      let second = try await server.signedIn("PushSignIn")
      try await eventually("the stream has fetched the message") {
        try await server.store.pushDevicesWithNews(now: server.clock.now).isEmpty
      }
      let messages = try await phone.poll(server)
      #expect(messages.count == 2)
      for message in messages { #expect(try await phone.answer(message, at: server).status == 200) }
      for step in [first, second] { #expect(try await server.wait(step)["tokenId"] != nil) }
      let admin = try await server.signInAdministrator()
      let reset = "\(LocalServer.alpha)/users/ada/devices/2fa/push?_action=reset"
      #expect(try await server.call(.post, reset, token: admin, body: [:])["result"] == true)
      let events = try await body.components(separatedBy: "\n\n").filter { $0.hasPrefix("id: ") }
      #expect(events.map { $0.prefix { $0 != "\n" } } == messages.map { "id: \($0.id)" })
    }
  }

  @Test func `one more listener than a device may have ends the oldest one's wait`() async throws {
    let direct = PollWaiters()
    let address = PushAddress(realm: "alpha", mechanismUID: "m")
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      let oldest = Task { try await phone.stream(server) }
      try await eventually("the stream is open") { !server.server.direct.listening.isEmpty }
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<4 { group.addTask { try await phone.stream(server) } }
        // Its end alone is the assertion.
        let text = try await oldest.value
        #expect(text.contains(": listening"))
        _ = try await server.store.pushDevices.reset(UniversalID(username: "ada", realm: "alpha"))
        server.server.direct.close()
        for try await body in group { #expect(body.contains(": listening")) }
      }
    }
    direct.end(address)
    #expect(direct.listening.isEmpty)
  }

  @Test func `of many answers at once one decides, whatever they say`() async throws {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      let step = try await server.signedIn("PushSignIn")
      let message = try #require(try await phone.poll(server).first)
      let statuses = try await withThrowingTaskGroup(of: (Bool, Int).self) { group in
        for index in 0..<16 {
          group.addTask {
            let denies = index % 2 == 0
            return (
              denies, try await phone.answer(message, at: server, denies ? ["deny": true] : [:]).status
            )
          }
        }
        return try await group.reduce(into: [(Bool, Int)]()) { $0.append($1) }
      }
      let winners = statuses.filter { $0.1 == 200 }
      #expect(winners.count == 1)
      let end = try await server.wait(step)
      #expect((end["tokenId"] == nil) == winners.first?.0)
    }
  }

  @Test func `of many registrations by one code at once one is stored`() async throws {
    try await LocalServer.runPush { server in
      let step = try await server.signedIn("PushRegister")
      let uri = try #require(step.hidden("mfaDeviceRegistration"))
      let count = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<8 { group.addTask { try await PushPhone(uri: uri).register(at: server).status } }
        return try await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) }
      }
      #expect(count == 1)
      #expect(
        try await server.store.pushDevices.all(of: UniversalID(username: "ada", realm: "alpha")).count == 1)
    }
  }

  @Test(arguments: ["PushNumber", "PushCode"])
  func `sign-ins at the same time keep their own numbers and codes`(journey: String) async throws {
    try await LocalServer.runPush { server in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<8 {
          group.addTask {
            let name = "user\(index)"
            try await server.server.createUser(name, password: Secret("\(name)-password"), realm: "alpha")
            let phone = try await server.enrolled(name)
            let step = try await server.signedIn(journey, as: name)
            let shown = try #require(step.hidden("pushChallengeNumber"))
            let message = try #require(try await phone.poll(server).first)
            let answer = try await phone.answer(message, at: server, ["challengeResponse": .string(shown)])
            #expect(answer.status == 200)
            #expect(try await server.wait(step)["tokenId"] != nil)
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test func `ten wrong codes need five new messages, and after the fifth wrong one nobody gets another`()
    async throws
  {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      var wrong = 0
      while wrong < 10 {
        let step = try await server.signedIn("PushCode")
        guard let shown = step.hidden("pushChallengeNumber") else { break }
        let message = try #require(try await phone.poll(server).last)
        for _ in 0..<2 {
          let guess = String((Int(shown) ?? 0) + 1)
          let answer = try await phone.answer(message, at: server, ["challengeResponse": .string(guess)])
          guard answer.errorCode == "wrongAnswer" else { break }
          wrong += 1
        }
        server.clock.advance(by: 120)
      }
      #expect(wrong == 5 || wrong == 6)
      #expect(try await server.signedIn("PushCode").hidden("pushChallengeNumber") == nil)
      // Neither does a success by password alone forget them.
      _ = try await server.signIn("ada")
      #expect(try await server.signedIn("PushCode").hidden("pushChallengeNumber") == nil)
    }
  }

  @Test func `all devices of a user are asked, and the first answer decides`() async throws {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      var second = phone
      second.mechanismUID = "second"
      let record = try #require(
        try await server.store.pushDevices.all(of: UniversalID(username: "ada", realm: "alpha")).first)
      var other = record
      (other.uuid, other.mechanismUID) = ("u2", "second")
      let enrolment = PushMessageRecord(
        id: "REGISTER:x", realm: "alpha", username: "ada", kind: .registration,
        challenge: StoredSecret([UInt8](repeating: 1, count: 32)),
        enrolment: .init(uuid: "u2", issuer: "x", sharedSecret: record.sharedSecret, deviceLimit: 0),
        sentAt: server.clock.now, expiresAt: server.clock.now + 60)
      try await server.store.openPushEnrolment(enrolment)
      let added = try await server.store.completePushEnrolment(
        id: "REGISTER:x", device: other, now: server.clock.now)
      #expect(added == .added)
      let step = try await server.signedIn("PushSignIn")
      let messages = [
        try #require(try await phone.poll(server).first), try #require(try await second.poll(server).first),
      ]
      #expect(messages[0].id == messages[1].id && messages[0].claims["u"] != messages[1].claims["u"])
      #expect(try await second.answer(messages[1], at: server).status == 200)
      #expect(try await phone.answer(messages[0], at: server, ["deny": true]).errorCode == "notOpen")
      #expect(try await server.wait(step)["tokenId"] != nil)
    }
  }

  @Test func `who proves nothing is told to wait after a while, and who proves a device never`() async throws
  {
    try await LocalServer.runPush({ $0.limits.refusedProofsPerAddress = 5 }) { server in
      let phone = try await server.enrolled()
      _ = try await server.signedIn("PushSignIn")
      let message = try #require(try await phone.poll(server).first)
      for _ in 0..<5 {
        #expect(try await phone.answer(message, at: server, ["response": "AAAA"]).status == 400)
      }
      let late = try await phone.answer(message, at: server, ["response": "AAAA"])
      #expect(late.status == 429 && late.headers[.retryAfter] == "12")
      #expect(try await phone.answer(message, at: server).status == 200)
    }
  }

  @Test
  func
    `one client that sends 1,000 bad requests a minute does not switch push off for the devices at its address`()
    async throws
  {
    try await LocalServer.runPush({ $0.limits.requestsPerAddress = 300 }) { server in
      func flood(_ count: Int) async throws {
        for number in 0..<count {
          let action = ["authenticate", "register", "poll", "refresh"][number % 4]
          let path = "\(LocalServer.alpha)/push/sns/message?_action=\(action)"
          #expect([400, 429].contains(try await server.call(.post, path, body: [:]).status))
        }
        #expect(try await server.call(.get, "\(LocalServer.alpha)/push/stream").status == 429)
      }
      let step = try await server.signedIn("PushRegister")
      try await flood(250)
      let phone = try PushPhone(uri: try #require(step.hidden("mfaDeviceRegistration")))
      #expect(try await phone.register(at: server).status == 200)
      server.clock.advance(by: 60)
      let login = try await server.signedIn("PushSignIn")
      try await flood(1000)
      let message = try #require(try await phone.poll(server).first)
      try await flood(10)
      #expect(try await phone.answer(message, at: server).status == 200)
      // The sign-in itself, under way before the flood, ends as well.
      #expect(try await server.wait(login)["tokenId"] != nil)
    }
  }

  @Test func `a device that proves itself without end is told to wait, and no other`() async throws {
    try await LocalServer.runPush({ $0.limits.requestsPerDevice = 3 }) { server in
      let phone = try await server.enrolled()
      for _ in 0..<3 { #expect(try await phone.pollAnswer(server).status == 200) }
      #expect(try await phone.pollAnswer(server).status == 429)
      server.clock.advance(by: 20)
      #expect(try await phone.poll(server).isEmpty)
    }
  }
}

@Suite("What became of push messages") struct PushDecisionsTests {
  @Test func `is there for administrators after message, device and user are gone`() async throws {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      var step = try await server.signedIn("PushSignIn")
      #expect(
        try await phone.answer(try #require(try await phone.poll(server).first), at: server).status == 200)
      #expect(try await server.wait(step)["tokenId"] != nil)
      step = try await server.signedIn("PushSignIn")
      let message = try #require(try await phone.poll(server).first)
      let denial: JSONObject = ["deny": true, "reason": "was not me"]
      #expect(try await phone.answer(message, at: server, denial).status == 200)
      let path = "\(LocalServer.alpha)/audit/push?_queryFilter=username%20eq%20%22ada%22"
      #expect(try await server.call(.get, path).status == 401)
      #expect(try await server.call(.get, path, token: try await server.signIn("ada")).status == 403)
      let admin = try await server.signInAdministrator()
      #expect(try await server.call(.post, path, token: admin, body: [:]).status == 405)
      _ = try await server.store.deleteUser(UniversalID(username: "ada", realm: "alpha"))
      let page = try await server.call(.get, path + "&_pageSize=1", token: admin)
      let record = try #require(page["result"]?[0])
      #expect(record["decision"] == "denied" && record["reason"] == "was not me")
      #expect(record["messageId"] == .string(message.id) && record["deviceName"] == "Ada's phone")
      let cookie = try #require(page["pagedResultsCookie"]?.stringValue)
      let next = try await server.call(
        .get, path + "&_pageSize=1&_pagedResultsCookie=\(cookie)", token: admin)
      #expect(next["result"]?[0]?["decision"] == "approved" && next["pagedResultsCookie"] == .null)
    }
  }
}
