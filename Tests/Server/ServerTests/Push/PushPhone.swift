import Assembly
import Bytes
import CommonFixtures
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import ProofFixtures
import StrictJSON
import Testing

/// A device that answers push messages, made from an enrolment URI.
struct PushPhone: Sendable {
  var mechanismUID = UUID().uuidString
  let secret: [UInt8]
  let challenge: [UInt8]
  let messageID: String
  let parameters: [String: String]

  static let path = "\(LocalServer.alpha)/push/sns/message?_action="

  init(uri: String) throws {
    let components = try #require(URLComponents(string: uri))
    var parameters: [String: String] = [:]
    for item in components.queryItems ?? [] { parameters[item.name] = item.value }
    self.parameters = parameters
    secret = try #require(Base64URL.decode(parameters["s"] ?? ""))
    challenge = try #require(Base64URL.decode(parameters["c"] ?? ""))
    messageID = try #require(parameters["m"])
  }

  func text(_ parameter: String) -> String? {
    parameters[parameter].flatMap { Base64URL.decode($0) }.map { String(decoding: $0, as: UTF8.self) }
  }

  func response(to challenge: [UInt8]) -> String {
    Data(HMAC<SHA256>.authenticationCode(for: challenge, using: SymmetricKey(data: secret)))
      .base64EncodedString()
  }

  func sign(_ claims: JSONObject) throws -> JSONValue {
    .string(try Tokens.hs256(claims, secret: secret))
  }

  /// The claims with which it registers.
  var facts: JSONObject {
    [
      "response": .string(response(to: challenge)), "mechanismUid": .string(mechanismUID),
      "deviceId": "token",
      "deviceType": "linux", "communicationType": "poll", "deviceName": "Ada's phone",
    ]
  }

  func register(at server: LocalServer, _ change: (inout JSONObject) -> Void = { _ in }) async throws
    -> Answer
  {
    var claims = facts
    change(&claims)
    return try await server.call(
      .post, Self.path + "register", body: ["messageId": .string(messageID), "jwt": try sign(claims)])
  }

  func poll(_ server: LocalServer, wait: Int? = nil, at offset: TimeInterval = 0) async throws -> [Message] {
    let answer = try await pollAnswer(server, wait: wait, at: offset)
    #expect(answer.status == 200)
    return try (answer["messages"]?.arrayValue ?? []).map { item in
      try open(try #require(item["message"]?.stringValue), id: try #require(item["messageId"]?.stringValue))
    }
  }

  /// Checks that the message is for this device, however it came.
  func open(_ compact: String, id: String) throws -> Message {
    Message(id: id, claims: try VerifiedToken(compact, secret: secret).claims)
  }

  func pollAnswer(
    _ server: LocalServer, wait: Int? = nil, at offset: TimeInterval = 0
  ) async throws -> Answer {
    var body: JSONObject = [
      "mechanismUid": .string(mechanismUID), "jwt": try token(server, at: offset),
    ]
    body["wait"] = wait.map { .integer(Int64($0)) }
    return try await server.call(.post, Self.path + "poll", body: .object(body))
  }

  /// The token that proves the device when it fetches messages.
  func token(_ server: LocalServer, at offset: TimeInterval = 0) throws -> JSONValue {
    let issued = Int64(server.clock.now.timeIntervalSince1970 + offset)
    return try sign(["mechanismUid": .string(mechanismUID), "iat": .integer(issued)])
  }

  /// Tells a new token, with the claims given.
  func refresh(
    _ change: JSONObject, of user: String = "ada", at server: LocalServer
  ) async throws -> Answer {
    var claims: JSONObject = ["deviceName": "Ada's phone", "deviceType": "linux"]
    claims["iat"] = .integer(Int64(server.clock.now.timeIntervalSince1970))
    claims.merge(change)
    return try await server.call(
      .post, Self.path + "refresh",
      body: [
        "mechanismUid": .string(mechanismUID), "username": .string(user), "jwt": try sign(claims),
      ])
  }

  func answer(
    _ message: Message, at server: LocalServer, _ extra: JSONObject = [:], id: String? = nil
  ) async throws -> Answer {
    let challenge = try #require(Data(base64Encoded: message.claims["c"]?.stringValue ?? ""))
    var claims: JSONObject = ["response": .string(response(to: Array(challenge)))]
    claims.merge(extra)
    return try await server.call(
      .post, Self.path + "authenticate",
      body: ["messageId": .string(id ?? message.id), "jwt": try sign(claims)])
  }

  struct Message: Sendable {
    let id: String
    let claims: JSONObject
  }
}

extension LocalServer {
  static func runPush(
    _ configure: @escaping (inout ServerConfiguration) -> Void = { _ in },
    body: @Sendable (LocalServer) async throws -> Void
  ) async throws {
    try await run(
      .router,
      {
        $0.publicURL = "https://id.example.com/am"
        configure(&$0)
      }, body: body)
  }

  /// The journey's step after name and password.
  func signedIn(_ journey: String, as name: String = "ada") async throws -> Answer {
    try await call(
      .post, "\(Self.alpha)/authenticate",
      body: Self.reply(to: try await start(journey), name, "\(name)-password"))
  }

  /// Posts the step back as it came, after its waiting time.
  func wait(_ step: Answer, seconds: TimeInterval = 2) async throws -> Answer {
    clock.advance(by: seconds)
    return try await call(
      .post, "\(Self.alpha)/authenticate",
      body: ["authId": step["authId"] ?? .null, "callbacks": step["callbacks"] ?? .null])
  }

  /// Answers a step that asks for one text.
  func enter(_ text: String, into step: Answer) async throws -> Answer {
    try await call(.post, "\(Self.alpha)/authenticate", body: Self.reply(to: step, text))
  }

  /// A device of the user, registered by the bundled journey.
  func enrolled(
    _ name: String = "ada", _ change: (inout JSONObject) -> Void = { _ in }
  ) async throws -> PushPhone {
    let step = try await signedIn("PushRegister", as: name)
    let phone = try PushPhone(uri: try #require(step.hidden("mfaDeviceRegistration")))
    #expect(try await phone.register(at: self, change).status == 200)
    let codes = try await wait(step)
    #expect(try await wait(codes)["tokenId"] != nil)
    return phone
  }
}

extension Answer {
  /// The value of the hidden callback of that id.
  func hidden(_ id: String) -> String? {
    for callback in json["callbacks"]?.arrayValue ?? [] where callback["type"] == "HiddenValueCallback" {
      let outputs = callback["output"]?.arrayValue ?? []
      if outputs.contains(where: { $0["name"] == "id" && $0["value"] == .string(id) }) {
        return outputs.first { $0["name"] == "value" }?["value"]?.stringValue
      }
    }
    return nil
  }

  var asksForRecoveryCode: Bool {
    json["callbacks"]?[0]?["output"]?[0]?["value"] == "Recovery Code"
  }

  var errorCode: String? { json["detail"]?["errorCode"]?.stringValue }
}

extension PushPhone {
  /// The whole stream, once it has ended.
  func stream(_ server: LocalServer) async throws -> String {
    let token = try token(server).stringValue ?? ""
    let response = try await server.client.executeRequest(
      uri: "\(LocalServer.alpha)/push/stream", method: .get, headers: [.authorization: "Bearer \(token)"],
      body: nil)
    #expect(response.status == .ok && response.headers[.contentType] == "text/event-stream")
    return String(buffer: response.body)
  }
}
