import BindingFormats
import CommonFixtures
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import NIOCore
import PushService
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

@Suite("What devices send") struct PushEndpointTests {
  private func newPhone(_ server: LocalServer, _ name: String = "ada") async throws -> PushPhone {
    try PushPhone(
      uri: try #require(try await server.signedIn("PushRegister", as: name).hidden("mfaDeviceRegistration")))
  }

  @Test
  func
    `every faulty answer to an enrolment is the same 400, changes nothing, and the right one still counts`()
    async throws
  {
    try await LocalServer.runPush { server in
      let phone = try await newPhone(server)
      let jwt = try phone.sign(phone.facts)
      let id = JSONValue.string(phone.messageID)
      let bodies: [JSONValue] = [
        [:], ["jwt": jwt], ["messageId": id], ["messageId": id, "jwt": 7], ["messageId": id, "jwt": "a..b"],
        ["messageId": id, "jwt": ""], ["messageId": 1, "jwt": jwt],
        ["messageId": "REGISTER:none", "jwt": jwt],
        ["messageId": "x", "jwt": jwt],
        ["messageId": .string(String(repeating: "x", count: 200)), "jwt": jwt],
        [
          "messageId": id,
          "jwt": .string(
            (jwt.stringValue ?? "").replacing(
              "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9", with: "eyJhbGciOiJub25lIn0")),
        ],
      ]
      for body in bodies {
        let answer = try await server.call(.post, PushPhone.path + "register", body: body)
        #expect(answer.status == 400, "\(body)")
        #expect(answer["message"] == "Bad Request" && answer["detail"] == nil)
      }
      let changes: [(inout JSONObject) -> Void] = [
        { $0["response"] = nil }, { $0["response"] = "AAAA" }, { $0["response"] = 5 },
        { $0["mechanismUid"] = nil },
        { $0["mechanismUid"] = "" }, { $0["mechanismUid"] = "a b" }, { $0["deviceId"] = nil },
        { $0["deviceId"] = "" },
        { $0["deviceType"] = nil }, { $0["communicationType"] = nil }, { $0["communicationType"] = "apns" },
        { $0["deviceId"] = .string(String(repeating: "x", count: 5000)) },
      ]
      for change in changes { #expect(try await phone.register(at: server, change).status == 400) }
      #expect(
        try await phone.register(at: server) { $0["communicationType"] = "apns" }.errorCode
          == "unknownTransport")
      let elsewhere = try await server.call(
        .post, PushPhone.path + "authenticate", body: ["messageId": id, "jwt": jwt])
      #expect(elsewhere.status == 400)
      let otherRealm = try await server.call(
        .post, "\(LocalServer.root)/push/sns/message?_action=register", body: ["messageId": id, "jwt": jwt])
      #expect(otherRealm.status == 400)
      #expect(
        try await server.store.pushDevices.all(of: UniversalID(username: "ada", realm: "alpha")).isEmpty)
      #expect(try await phone.register(at: server).status == 200)
      #expect(try await phone.register(at: server).errorCode == "notOpen")
    }
  }

  @Test func `faulty answers to a question are 400 and leave it open`() async throws {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      let stranger = try await server.enrolled("bob")
      let step = try await server.signedIn("PushSignIn")
      let message = try #require(try await phone.poll(server).first)
      #expect(try await stranger.answer(message, at: server).status == 400)
      #expect(try await phone.answer(message, at: server, ["response": "AAAA"]).status == 400)
      #expect(try await phone.answer(message, at: server, ["response": .null]).status == 400)
      #expect(try await phone.answer(message, at: server, id: "AUTHENTICATE:none").status == 400)
      // The message itself, although signed with the same secret, is not an answer.
      let echo = try await server.call(
        .post, PushPhone.path + "authenticate",
        body: ["messageId": .string(message.id), "jwt": try phone.sign(message.claims)])
      #expect(echo.status == 400)
      #expect(try await server.wait(step)["authId"] != nil)
      #expect(try await phone.answer(message, at: server).status == 200)
    }
  }

  @Test func `only these actions, only POST, only JSON, and not much of it`() async throws {
    try await LocalServer.runPush { server in
      #expect(try await server.call(.post, PushPhone.path + "send", body: [:]).status == 400)
      #expect(try await server.call(.post, "\(LocalServer.alpha)/push/sns/message", body: [:]).status == 400)
      #expect(try await server.call(.get, PushPhone.path + "register").status == 405)
      #expect(try await server.call(.get, "\(LocalServer.alpha)/push/sns").status == 404)
      #expect(
        try await server.call(.post, "/am/json/nowhere/push/sns/message?_action=poll", body: [:]).status
          == 404)
      let path = PushPhone.path + "register"
      #expect(try await server.send(.post, path, bytes: Array("{".utf8)).status == 400)
      #expect(try await server.send(.post, path, bytes: Array("[]".utf8)).status == 400)
      #expect(
        try await server.send(.post, path, bytes: Array("{}".utf8), contentType: "text/plain").status == 415)
      #expect(
        try await server.send(.post, path, bytes: [UInt8](repeating: 32, count: 17 << 10)).status == 413)
      // The paths that PingAM writes into enrolments.
      for path in ["/am/json/alpha", "/am/json", "/am/json/realms/alpha"] {
        let answer = try await server.call(.post, "\(path)/push/sns/message?_action=register", body: [:])
        #expect(answer.status == 400 && answer.message == "Bad Request")
      }
    }
  }

  @Test func `a device tells its new token in the peers' form, with either name of the user's member`()
    async throws
  {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      func refresh(
        _ token: String, user: JSONObject = ["username": "ada"], iat: TimeInterval? = nil,
        signedBy signer: PushPhone? = nil, _ change: (inout JSONObject) -> Void = { _ in }
      ) async throws -> Int {
        var claims: JSONObject = [
          "deviceId": .string(token), "deviceName": "New name", "deviceType": "linux",
          "communicationType": "poll",
        ]
        claims["iat"] = iat.map { .integer(Int64(server.clock.now.timeIntervalSince1970 + $0)) }
        change(&claims)
        var body: JSONObject = [
          "mechanismUid": .string(phone.mechanismUID), "jwt": try (signer ?? phone).sign(claims),
        ]
        body.merge(user)
        return try await server.call(.post, PushPhone.path + "refresh", body: .object(body)).status
      }
      #expect(try await refresh("t1") == 200)
      #expect(try await refresh("t2", user: ["userId": "ADA"]) == 200)
      let stored = try #require(
        try await server.store.pushDevice(mechanismUID: phone.mechanismUID, realm: "alpha"))
      #expect(stored.deviceToken == "t2" && stored.deviceName == "New name")
      let stranger = try await server.enrolled("bob")
      #expect(try await refresh("x", user: [:]) == 400)
      #expect(try await refresh("x", user: ["username": ""]) == 400)
      #expect(try await refresh("x", user: ["username": "bob"]) == 400)
      #expect(try await refresh("x", signedBy: stranger) == 400)
      #expect(try await refresh("x") { $0["mechanismUid"] = "another" } == 400)
      #expect(try await refresh("x") { $0["communicationType"] = "gcm" } == 400)
      #expect(try await refresh("x") { $0["deviceId"] = nil } == 400)
      // The token of a registration is not a news.
      #expect(try await refresh("x") { $0["response"] = phone.facts["response"] } == 400)
      #expect(try await refresh("x", iat: -61) == 400)
      #expect(try await refresh("x", iat: 61) == 400)
      // In the order of signing; a replay restores nothing.
      #expect(try await refresh("t3", iat: -10) == 200)
      #expect(try await refresh("t4", iat: 0) == 200)
      #expect(try await refresh("t3", iat: -10) == 400)
      #expect(try await refresh("t1") == 400)
      let now = try await server.store.pushDevice(mechanismUID: phone.mechanismUID, realm: "alpha")
      #expect(now?.deviceToken == "t4")
    }
  }

  @Test func `only the device fetches its messages, and only with a fresh token`() async throws {
    try await LocalServer.runPush { server in
      var phone = try await server.enrolled()
      let stranger = try await server.enrolled("bob")
      _ = try await server.signedIn("PushSignIn")
      #expect(try await phone.poll(server).count == 1)
      #expect(try await phone.poll(server, at: -60).count == 1)
      for offset in [-61.0, 61] { #expect(try await phone.pollAnswer(server, at: offset).status == 400) }
      // A wait out of bounds is brought into them. What is new ends the long one.
      #expect(try await phone.pollAnswer(server, wait: -1).status == 200)
      let waiting = phone
      async let answer = waiting.pollAnswer(server, wait: 31)
      try await eventually("the device waits for what is new") { !server.server.direct.listening.isEmpty }
      server.clock.advance(by: 1)
      _ = try await server.signedIn("PushSignIn")
      #expect(try await answer.status == 200)
      let bodies: [JSONValue] = [
        ["mechanismUid": .string(phone.mechanismUID)], ["jwt": try phone.token(server)],
        ["mechanismUid": .string(phone.mechanismUID), "jwt": try stranger.token(server)],
        [
          "mechanismUid": .string(phone.mechanismUID),
          "jwt": try phone.sign(["mechanismUid": .string(phone.mechanismUID)]),
        ],
        ["mechanismUid": .string(phone.mechanismUID), "jwt": try phone.sign(["iat": "now"])],
        ["mechanismUid": "none", "jwt": try phone.token(server)],
        // An answer to a message is not a proof for the inbox.
        ["mechanismUid": .string(phone.mechanismUID), "jwt": try phone.sign(phone.facts)],
      ]
      for body in bodies {
        #expect(try await server.call(.post, PushPhone.path + "poll", body: body).status == 400)
      }
      phone.mechanismUID = stranger.mechanismUID
      #expect(try await phone.pollAnswer(server).status == 400)
    }
  }

  @Test func `a device that waits gets its message when it is sent`() async throws {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      async let messages = phone.poll(server, wait: 30)
      _ = try await server.signedIn("PushSignIn")
      let first = try await messages
      #expect(first.count == 1)
      // Nothing new: what is open comes when the wait is over, in case the first answer was lost.
      #expect(try await phone.poll(server, wait: 1).map(\.id) == first.map(\.id))
    }
  }

  @Test func `the stream says what is open, to the device alone`() async throws {
    try await LocalServer.run(.live, { $0.publicURL = "https://id.example.com/am" }) { server in
      let phone = try await server.enrolled()
      let stranger = try await server.enrolled("bob")
      _ = try await server.signedIn("PushSignIn")
      let path = "\(LocalServer.alpha)/push/stream"
      #expect(try await server.call(.get, path).status == 401)
      #expect(try await server.call(.post, path, body: [:]).status == 405)
      for bad in [
        "x", try phone.token(server, at: -61).stringValue ?? "",
        try phone.sign([
          "mechanismUid": .string(stranger.mechanismUID),
          "iat": .integer(Int64(server.clock.now.timeIntervalSince1970)),
        ]).stringValue ?? "",
      ] {
        #expect(try await server.call(.get, path, headers: ["Authorization": "Bearer \(bad)"]).status == 401)
      }
    }
  }

  @Test func `a stream's path is known by its ending, and no other resource is answered like one`()
    async throws
  {
    try await LocalServer.run { server in
      let routes = server.server.responder.routes
      #expect(routes.all.filter(\.isStream).map(\.template) == ["/am/json/{realm}/push/stream"])
      for path in ["\(LocalServer.alpha)/push/stream", "/am/json/push/stream"] {
        #expect(routes.mayBeStream(path: path))
      }
      for path in ["\(LocalServer.alpha)/push/sns/message", "\(LocalServer.alpha)/authenticate", "/stream"] {
        #expect(!routes.mayBeStream(path: path))
      }
    }
  }
}

@Suite("Push devices of an account") struct PushDevicesTests {
  private func path(_ rest: String, of user: String = "ada") -> String {
    "\(LocalServer.alpha)/users/\(user)/devices/2fa/push\(rest)"
  }

  @Test func `are listed without secrets, renamed, and removed by their owner or an administrator`()
    async throws
  {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      let (ada, bob) = (try await server.signIn("ada"), try await server.signIn("bob"))
      let admin = try await server.signInAdministrator()
      let list = try await server.call(.get, path("?_queryFilter=true"), token: ada)
      let record = try #require(list["result"]?[0]?.objectValue)
      #expect(list["resultCount"] == 1)
      #expect(
        Set(record.names) == [
          "_id", "_rev", "createdDate", "lastAccessDate", "deviceName", "uuid", "deviceManagementStatus",
        ])
      let id = try #require(record["_id"]?.stringValue)
      #expect(id == phone.text("pid"))
      let name: JSONValue = ["deviceName": " Work phone "]
      #expect(try await server.call(.put, path("/\(id)"), body: name).status == 401)
      #expect(try await server.call(.put, path("/\(id)"), token: bob, body: name).status == 403)
      #expect(try await server.call(.put, path("/\(id)"), token: ada, body: ["deviceName": ""]).status == 400)
      #expect(
        try await server.call(.put, path("/\(id)"), token: ada, body: name)["deviceName"] == "Work phone")
      #expect(try await server.call(.put, path("/none"), token: ada, body: name).status == 404)
      #expect(try await server.call(.delete, path("/\(id)"), token: bob).status == 403)
      #expect(try await server.call(.delete, path("/\(id)"), token: admin)["uuid"] == .string(id))
      #expect(try await server.call(.delete, path("/\(id)"), token: ada).status == 404)
      #expect(try await server.call(.get, path("?_queryFilter=true", of: "none"), token: admin).status == 404)
      #expect(try await phone.pollAnswer(server).status == 400)
      #expect(try await server.signedIn("PushSignIn").hidden("mfaDeviceRegistration") != nil)
    }
  }

  @Test func `are reset at once, and the wish to do without them is kept`() async throws {
    try await LocalServer.runPush { server in
      _ = try await server.enrolled()
      let ada = try await server.signIn("ada")
      func act(_ action: String, _ body: JSONValue = [:]) async throws -> Answer {
        try await server.call(.post, path("?_action=\(action)"), token: ada, body: body)
      }
      #expect(try await act("check")["result"] == false)
      #expect(try await act("skip", ["value": true]).status == 200)
      #expect(try await act("check")["result"] == true)
      #expect(try await act("skip").status == 400)
      #expect(try await act("reset")["result"] == true)
      #expect(try await act("other").status == 400)
      #expect(try await server.call(.get, path("?_queryFilter=true"), token: ada)["resultCount"] == 0)
    }
  }
}
