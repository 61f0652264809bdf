import BindingFormats
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
@testable import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import ServerHTTP

@Suite("Push, by a device that knows only HTTP") struct PushJourneyTests {
  @Test func `a device registers by the URI, and its owner gets ten recovery codes`() async throws {
    try await LocalServer.runPush { server in
      let step = try await server.signedIn("PushRegister")
      let types = step["callbacks"]?.arrayValue?.compactMap { $0["type"]?.stringValue }
      #expect(
        types == [
          "TextOutputCallback", "TextOutputCallback", "HiddenValueCallback", "PollingWaitCallback",
          "HiddenValueCallback",
        ])
      let uri = try #require(step.hidden("mfaDeviceRegistration"))
      #expect(uri.hasPrefix("pushauth://push/Sealring:ada?l="))
      let phone = try PushPhone(uri: uri)
      #expect(phone.text("issuer") == "Sealring" && phone.text("uid") == "ada")
      let endpoint = "https://id.example.com/am/json/alpha/push/sns/message?_action="
      #expect(phone.text("r") == endpoint + "register" && phone.text("a") == endpoint + "authenticate")
      let again = try await server.wait(step)
      #expect(again.hidden("mfaDeviceRegistration") == uri)
      let registered = try await phone.register(at: server)
      #expect(registered.status == 200 && registered.json == [:])
      let codes = try await server.wait(again)
      let text = codes["callbacks"]?[0]?["output"]?[0]?["value"]?.stringValue ?? ""
      #expect(
        Set(text.split(separator: "\n").map(\.count)) == [19] && text.split(separator: "\n").count == 10)
      #expect(try await server.wait(codes)["tokenId"] != nil)
      let device = try #require(
        try await server.store.pushDevices.all(of: UniversalID(username: "ada", realm: "alpha")).first)
      #expect(device.deviceName == "Ada's phone" && device.mechanismUID == phone.mechanismUID)
      #expect(device.uuid == phone.text("pid") && device.communicationType == "poll")
      // Who has a device gets no second one here, and confirms with it first.
      let asked = try await server.signedIn("PushRegister")
      let message = try #require(try await phone.poll(server).first)
      #expect(try await phone.answer(message, at: server).status == 200)
      #expect(try await server.wait(asked)["tokenId"] != nil)
    }
  }

  @Test func `the time of a registration is over: the code is dead`() async throws {
    try await LocalServer.runPush { server in
      let step = try await server.signedIn("PushRegister")
      let phone = try PushPhone(uri: try #require(step.hidden("mfaDeviceRegistration")))
      let end = try await server.wait(step, seconds: 120)
      #expect(end.status == 401)
      #expect(try await phone.register(at: server).status == 400)
      #expect(
        try await server.store.pushDevices.all(of: UniversalID(username: "ada", realm: "alpha")).isEmpty)
    }
  }

  @Test func `a tap on the device signs in`() async throws {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      var step = try await server.signedIn("PushSignIn")
      let message = try #require(try await phone.poll(server).first)
      #expect(message.claims["u"]?.stringValue == phone.mechanismUID && message.claims["k"] == "default")
      #expect(message.claims["t"] == "120" && message.claims["d"] == "ada" && message.claims["n"] == nil)
      #expect(message.claims["m"] == "Login attempt from ada at Sealring")
      step = try await server.wait(step)
      #expect(step["authId"] != nil)
      #expect(try await phone.answer(message, at: server).status == 200)
      #expect(try await server.wait(step)["tokenId"] != nil)
      #expect(try await phone.poll(server).isEmpty)
      // One answer per message.
      #expect(try await phone.answer(message, at: server).status == 400)
    }
  }

  @Test func `without an answer in time nobody signs in, and a late one is refused`() async throws {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      let step = try await server.signedIn("PushSignIn")
      let message = try #require(try await phone.poll(server).first)
      server.clock.advance(by: 118)
      let answer = try await server.wait(step)
      #expect(answer.status == 401 && answer.message == "Login failure")
      #expect(try await phone.answer(message, at: server).status == 400)
    }
  }

  @Test func `an answer in time counts even if the page asks after the message's end`() async throws {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      let step = try await server.signedIn("PushSignIn")
      let message = try #require(try await phone.poll(server).first)
      server.clock.advance(by: 119)
      #expect(try await phone.answer(message, at: server).status == 200)
      #expect(try await server.wait(step, seconds: 30)["tokenId"] != nil)
    }
  }

  @Test(arguments: [true, "true", 1, ["x": 1]] as [JSONValue])
  func `a denial ends the sign-in, and its reason is in the log`(deny: JSONValue) async throws {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      let step = try await server.signedIn("PushSignIn")
      let message = try #require(try await phone.poll(server).first)
      #expect(
        try await phone.answer(message, at: server, ["deny": deny, "reason": "was not me\n"]).status == 200)
      // An approval afterwards flips nothing.
      let late = try await phone.answer(message, at: server)
      #expect(late.status == 400 && late.errorCode == "notOpen")
      #expect(try await server.wait(step).status == 401)
      #expect(server.log.withLock { $0.contains { $0.contains("was denied") && $0.contains("was not me") } })
    }
  }

  @Test(arguments: [false, .null] as [JSONValue])
  func `a denial that is false or null is none`(deny: JSONValue) async throws {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      let step = try await server.signedIn("PushSignIn")
      let message = try #require(try await phone.poll(server).first)
      #expect(try await phone.answer(message, at: server, ["deny": deny]).status == 200)
      #expect(try await server.wait(step)["tokenId"] != nil)
    }
  }

  @Test func `the right one of three numbers signs in`() async throws {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      let step = try await server.signedIn("PushNumber")
      let shown = try #require(step.hidden("pushChallengeNumber"))
      let message = try #require(try await phone.poll(server).first)
      let options = message.claims["n"]?.stringValue?.split(separator: ",").map(String.init) ?? []
      #expect(message.claims["k"] == "challenge" && options.count == 3 && options.contains(shown))
      #expect(options == options.sorted() && Set(options).count == 3)
      #expect(
        try await phone.answer(message, at: server, ["challengeResponse": .string(shown)]).status == 200)
      #expect(try await server.wait(step)["tokenId"] != nil)
    }
  }

  @Test
  func `a missing number is a wrong one: 400, and open once more; the second wrong one ends it as denied`()
    async throws
  {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      let step = try await server.signedIn("PushNumber")
      let shown = try #require(step.hidden("pushChallengeNumber"))
      let message = try #require(try await phone.poll(server).first)
      let missing = try await phone.answer(message, at: server)
      #expect(missing.status == 400 && missing.errorCode == "wrongAnswer")
      #expect(try await phone.poll(server).count == 1)
      let wrong = try await phone.answer(message, at: server, ["challengeResponse": "100"])
      #expect(wrong.status == 400 && wrong.errorCode == "wrongAnswer")
      let right = try await phone.answer(message, at: server, ["challengeResponse": .string(shown)])
      #expect(right.status == 400 && right.errorCode == "notOpen")
      #expect(try await server.wait(step).status == 401)
    }
  }

  @Test func `six digits from the login page, entered on the device, sign in; after one mistake too`()
    async throws
  {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      let step = try await server.signedIn("PushCode")
      let shown = try #require(step.hidden("pushChallengeNumber"))
      #expect(shown.count == 6 && shown.allSatisfy(\.isNumber))
      let message = try #require(try await phone.poll(server).first)
      #expect(message.claims["k"] == "challenge" && message.claims["n"] == nil)
      #expect(message.claims["codeLength"] == "6")
      #expect(!message.claims.serialized.contains(Array(shown.utf8)))
      let other = shown == "000000" ? "000001" : "000000"
      #expect(
        try await phone.answer(message, at: server, ["challengeResponse": .string(other)]).status == 400)
      #expect(
        try await phone.answer(message, at: server, ["challengeResponse": .string(shown)]).status == 200)
      #expect(try await server.wait(step)["tokenId"] != nil)
    }
  }

  @Test func `wrong codes add up over messages: a new code brings no new guesses`() async throws {
    try await LocalServer.runPush({ $0.pushLimits = PushLimits(wrongAnswersSinceSuccess: 4) }) { server in
      let phone = try await server.enrolled()
      for _ in 0..<2 {
        let step = try await server.signedIn("PushCode")
        let message = try #require(try await phone.poll(server).first)
        for _ in 0..<2 {
          #expect(try await phone.answer(message, at: server, ["challengeResponse": "x"]).status == 400)
        }
        #expect(try await server.wait(step).status == 401)
      }
      // The right password forgets the account's failures, not those of push.
      let refused = try await server.signedIn("PushCode")
      #expect(refused.asksForRecoveryCode)
      #expect(try await server.enter("none", into: refused).status == 401)
      #expect(server.log.withLock { $0.contains { $0.contains("too many wrong numbers or codes") } })
      server.clock.advance(by: 3600)
      #expect(try await server.signedIn("PushCode").hidden("pushChallengeNumber") != nil)
    }
  }

  @Test
  func `nobody is worn out by pushes: the limits of open ones and of those since the last success hold`()
    async throws
  {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      for _ in 0..<3 { #expect(try await !server.signedIn("PushSignIn").asksForRecoveryCode) }
      #expect(try await server.signedIn("PushSignIn").asksForRecoveryCode)
      for _ in 3..<10 {
        server.clock.advance(by: 121)
        #expect(try await !server.signedIn("PushSignIn").asksForRecoveryCode)
      }
      server.clock.advance(by: 121)
      #expect(try await server.signedIn("PushSignIn").asksForRecoveryCode)
      #expect(try await phone.poll(server).isEmpty)
    }
  }

  @Test func `a recovery code signs in once`() async throws {
    try await LocalServer.runPush { server in
      let registration = try await server.signedIn("PushRegister")
      let phone = try PushPhone(uri: try #require(registration.hidden("mfaDeviceRegistration")))
      #expect(try await phone.register(at: server).status == 200)
      let codes = try await server.wait(registration)
      let code = codes["callbacks"]?[0]?["output"]?[0]?["value"]?.stringValue?.prefix(19).lowercased() ?? ""
      for expected in [200, 401] {
        let step = try await server.signedIn("PushSignIn")
        let exit: JSONValue = [
          "authId": step["authId"] ?? .null,
          "callbacks": [["type": "ConfirmationCallback", "input": [["name": "IDToken2", "value": 0]]]],
        ]
        let ask = try await server.call(.post, "\(LocalServer.alpha)/authenticate", body: exit)
        let end = try await server.call(
          .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: ask, code))
        #expect(end.status == expected)
      }
    }
  }
}
