import CommonFixtures
import BindingFormats
import Concurrency
import Crypto
import Foundation
import JourneyStore
import StrictJSON
import Testing

@Suite("Signing in with a one-time code, over HTTP") struct OathJourneyTests {
  @Test func `one QR code registers push and codes; the code, its replay, the next one, and an old one`()
    async throws
  {
    try await LocalServer.runOath { server in
      let (phone, recoveryCodes) = try await server.enrolledPhone()
      #expect(phone.scheme == "mfauth")
      #expect(
        phone.names == [
          "l", "issuer", "m", "s", "c", "r", "a", "uid", "pid", "b", "secret", "algorithm", "digits",
          "period",
          "oid",
        ])
      #expect(recoveryCodes.count == 10)
      #expect(
        try await server.store.pushDevices.all(of: UniversalID(username: "ada", realm: "alpha")).count == 1)

      let code = try phone.code(server)
      #expect(try await server.signIn(code: code)["tokenId"]?.stringValue != nil)
      let replay = try await server.signIn(code: code)
      #expect(replay.status == 401 && replay.message == "Login failure")
      server.clock.advance(by: 30)
      #expect(try await server.signIn(code: try phone.code(server))["tokenId"] != nil)
      #expect(try await server.signIn(code: try phone.code(server, -1)).status == 401)
      #expect(try await server.signIn(code: "123").status == 401)
    }
  }

  @Test func `of two equal codes at once one signs in`() async throws {
    try await LocalServer.runOath { server in
      let (phone, _) = try await server.enrolledPhone()
      let code = try phone.code(server)
      var bodies: [JSONValue] = []
      for _ in 0..<2 {
        bodies.append(LocalServer.reply(to: try await server.afterPassword("OathSignIn"), code, "0"))
      }
      let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
        for body in bodies { group.addTask { try await server.post(body) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.map(\.status).sorted() == [200, 401])
      #expect(answers.filter { $0["tokenId"] != nil }.count == 1)
    }
  }

  @Test func `a recovery code stands in for the authenticator, once`() async throws {
    try await LocalServer.runOath { server in
      let (_, recoveryCodes) = try await server.enrolledPhone()
      let code = try #require(recoveryCodes.first)
      var statuses: [Int] = []
      for _ in 0..<2 {
        let asked = try await server.afterPassword("OathSignIn")
        let other = try await server.post(LocalServer.reply(to: asked, "", "1"))
        #expect(other["callbacks"]?[0]?["output"]?[0]?["value"] == "Recovery Code")
        statuses.append(try await server.post(LocalServer.reply(to: other, code)).status)
      }
      #expect(statuses == [200, 401])
      // The same codes stand in for push, where this one is still to be used.
      let hash = Array(SHA256.hash(data: Data(code.utf8.filter { $0 != UInt8(ascii: "-") })))
      #expect(
        try await server.store.useRecoveryCode(
          hash, kind: "PUSH", of: UniversalID(username: "ada", realm: "alpha")))
    }
  }

  @Test func `guessing ends after five codes, although the password is right each time`() async throws {
    try await LocalServer.runOath { server in
      let (phone, _) = try await server.enrolledPhone()
      let near = try Set((-5...20).map { try phone.code(server, $0) })
      let wrong = (0..<100).map { "\(100_000 + $0)" }.filter { !near.contains($0) }.prefix(5)
      for guess in wrong { #expect(try await server.signIn(code: guess).status == 401) }
      server.clock.advance(by: 30)
      // What can be guessed locks together, and a right password forgets nothing of the codes: it is refused as well.
      #expect(try await server.afterPassword("OathSignIn").status == 401)
      server.clock.advance(by: 31)
      #expect(try await server.signIn(code: try phone.code(server)).status == 200)
      #expect(server.log.withLock { $0 }.contains { $0.contains("the one-time code is wrong or used") })
      #expect(!server.log.withLock { $0 }.contains { line in near.contains { line.contains($0) } })
    }
  }

  @Test
  func `who registered nothing cannot sign in with a code; a registration without an answer stores nothing`()
    async throws
  {
    try await LocalServer.runOath { server in
      #expect(try await server.afterPassword("OathSignIn").status == 401)
      let step = try await server.afterPassword("CombinedRegister")
      _ = try server.enrolmentURI(step)
      #expect(try await server.goOn(step, after: 121).status == 401)
      #expect(
        try await server.store.pushDevices.all(of: UniversalID(username: "ada", realm: "alpha")).isEmpty)
      #expect(
        try await server.store.oathDevices.all(of: UniversalID(username: "ada", realm: "alpha")).isEmpty)
    }
  }

  @Test func `any authenticator registers without push, and its first code proves it`() async throws {
    try await LocalServer.runOath { server in
      let step = try await server.afterPassword("OathRegister")
      let phone = try CodePhone(uri: try server.enrolmentURI(step))
      #expect(phone.scheme == "otpauth" && phone.parameters["issuer"] == "Sealring")
      let first = try await server.goOn(step)
      #expect(
        try await server.store.oathDevices.all(of: UniversalID(username: "ada", realm: "alpha")).isEmpty)
      let shown = try await server.post(LocalServer.reply(to: first, try phone.code(server), "0"))
      let codes = shown["callbacks"]?[0]?["output"]?[0]?["value"]?.stringValue ?? ""
      #expect(codes.split(separator: "\n").count == 10)
      #expect(try await server.goOn(shown)["tokenId"] != nil)
      // What proved the authenticator signs nobody in.
      #expect(try await server.signIn(code: try phone.code(server)).status == 401)
      server.clock.advance(by: 30)
      #expect(try await server.signIn(code: try phone.code(server))["tokenId"] != nil)
    }
  }

  @Test func `who has both is not asked to register again`() async throws {
    try await LocalServer.runOath { server in
      let (phone, _) = try await server.enrolledPhone()
      server.clock.advance(by: 30)
      let code = try await server.exitPush(try await server.afterPassword("CombinedRegister"))
      let end = try await server.post(LocalServer.reply(to: code, try phone.code(server), "0"))
      #expect(end["tokenId"] != nil)
      #expect(
        try await server.store.oathDevices.all(of: UniversalID(username: "ada", realm: "alpha")).count == 1)
    }
  }

  @Test
  func `a wrong first code does not burn the enrolment: nothing is stored, and the same QR code comes back`()
    async throws
  {
    try await LocalServer.runOath { server in
      let step = try await server.afterPassword("OathRegister")
      let uri = try server.enrolmentURI(step)
      let phone = try CodePhone(uri: uri)
      let asked = try await server.goOn(step)
      let again = try await server.post(LocalServer.reply(to: asked, "000000", "0"))
      #expect(again.status == 200)
      #expect(try server.enrolmentURI(again) == uri)
      #expect(again["callbacks"]?[0]?["output"]?[0]?["value"]?.stringValue?.contains("wrong") == true)
      #expect(
        try await server.store.oathDevices.all(of: UniversalID(username: "ada", realm: "alpha")).isEmpty)
      // Starting again is possible, too, with another secret.
      let other = try server.enrolmentURI(try await server.afterPassword("OathRegister"))
      #expect(other != uri)
      let right = try await server.goOn(again)
      let shown = try await server.post(LocalServer.reply(to: right, try phone.code(server), "0"))
      #expect(try await server.goOn(shown)["tokenId"] != nil)
      #expect(
        try await server.store.oathDevices.all(of: UniversalID(username: "ada", realm: "alpha")).count == 1)
    }
  }

  @Test func `fifty first codes at once are one answer, and five wrong ones in a row end the enrolment`()
    async throws
  {
    try await LocalServer.runOath { server in
      let asked = try await server.goOn(try await server.afterPassword("OathRegister"))
      let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
        for number in 0..<50 {
          let body = LocalServer.reply(to: asked, String(100_000 + number), "0")
          group.addTask { try await server.post(body) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let taken = answers.filter { $0.status == 200 }
      #expect(taken.count == 1 && answers.filter { $0.status == 401 }.count == 49)
      #expect(
        try await server.store.lockout(
          of: UniversalID(username: "ada", realm: "alpha"), scope: .init(.authenticatorCodes)
        )
        .consecutiveFailures == 1)
      var step = try #require(taken.first)
      for _ in 2...5 {
        #expect(step.status == 200)
        step = try await server.post(LocalServer.reply(to: try await server.goOn(step), "000000", "0"))
      }
      #expect(step.status == 401)
      #expect(
        try await server.store.oathDevices.all(of: UniversalID(username: "ada", realm: "alpha")).isEmpty)
    }
  }

  @Test func `of two enrolments proven at once one is stored; an answer that comes again changes nothing`()
    async throws
  {
    try await LocalServer.runOath { server in
      var bodies: [JSONValue] = []
      for _ in 0..<2 {
        let step = try await server.afterPassword("OathRegister")
        let phone = try CodePhone(uri: try server.enrolmentURI(step))
        let asked = try await server.goOn(step, after: 0)
        bodies.append(LocalServer.reply(to: asked, try phone.code(server), "0"))
      }
      let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
        for body in bodies + bodies { group.addTask { try await server.post(body) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      // The other one is refused, or asked for a code of what is stored, by who was faster.
      let stored = answers.filter { answer in
        let asked = answer["callbacks"]?.arrayValue ?? []
        return answer.status == 200 && !asked.contains { $0["type"] == "NameCallback" }
      }
      #expect(stored.count == 1)
      #expect(
        try await server.store.oathDevices.all(of: UniversalID(username: "ada", realm: "alpha")).count == 1)
    }
  }
}
