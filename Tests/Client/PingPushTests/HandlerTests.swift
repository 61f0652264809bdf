import Concurrency
import Foundation
import PingCommons
import PingLogger
import PingNetwork
import PingStorage
import PushFormats
import StrictJSON
import Testing

@testable import PingPush
import PingTamperDetector

/// A handler of an app: messages of its own, and a record of what it was asked to send.
final class CustomPushHandler: PushHandler {
  private let log = Locked<[String]>([])
  private let result = Locked(true)
  private let prefix: String

  init(_ prefix: String = "custom:") { self.prefix = prefix }

  var sent: [String] { log.withLock { $0 } }
  func answer(_ value: Bool) { result.withLock { $0 = value } }

  private func note(_ text: String) -> Bool {
    log.withLock { $0.append(text) }
    return result.withLock { $0 }
  }

  func canHandle(messageData: [String: Any]) -> Bool {
    (messageData["own"] as? String)?.hasPrefix(prefix) == true
  }
  func canHandle(message: String) -> Bool { message.hasPrefix(prefix) }

  func parseMessage(messageData: [String: Any]) throws -> [String: Any] {
    var parsed = try parseMessage(message: messageData["own"] as? String ?? "")
    parsed["messageId"] = messageData["id"]
    return parsed
  }

  func parseMessage(message: String) throws -> [String: Any] {
    let credential = message.dropFirst(prefix.count)
    return [
      "credentialId": String(credential), "challenge": "AAAA", "ttl": "60", "pushType": "CHALLENGE",
      "numbersChallenge": "1, 2,x,3", "messageId": message, "additionalData": ["own": 1],
    ]
  }

  func sendApproval(credential: PushCredential, notification: PushNotification, params: [String: Any])
    async throws
    -> Bool
  {
    note("approve \(params["challengeResponse"] ?? "")")
  }

  func sendDenial(credential: PushCredential, notification: PushNotification, params: [String: Any])
    async throws
    -> Bool
  {
    note("deny \(params["reason"] ?? "")")
  }

  func setDeviceToken(credential: PushCredential, deviceToken: String, params: [String: Any]) async throws
    -> Bool
  {
    note("token \(deviceToken)")
  }

  func register(credential: PushCredential, params: [String: Any]) async throws -> Bool {
    note("register \(params.keys.sorted())")
  }
}

struct HandlerTests {
  @Test func `handlers are written as a list, with keys, or not at all`() {
    let handler = CustomPushHandler()
    var handlers: PushHandlers = [handler, CustomPushHandler()]
    #expect(handlers.count == 2 && handlers.keys == ["CustomPushHandler", "CustomPushHandler-2"])
    #expect(handlers["CustomPushHandler"] === handler)
    handlers = ["B": handler, "A": CustomPushHandler()]
    #expect(handlers.keys == ["B", "A"] && handlers["B"] === handler && handlers["C"] == nil)
    handlers["B"] = nil
    #expect(handlers.keys == ["A"])
    handlers = [:]
    #expect(handlers.isEmpty)
  }

  @Test func `a message of the app's own goes through its handler, and so does the answer`() async throws {
    let handler = CustomPushHandler()
    let device = try await RegisteredDevice { $0.customPushHandlers = [handler] }
    let data: [String: Any] = ["own": "custom:\(device.credential.id)", "id": "m1"]
    let notification = try #require(try await device.client.processNotification(messageData: data))
    #expect(notification.ttl == 60 && notification.pushType == .challenge && notification.codeLength == nil)
    #expect(notification.getNumbersChallenge() == [1, 2, 3] && notification.messageId == "m1")
    #expect(notification.additionalData?["own"] as? Int == 1)
    handler.answer(false)
    #expect(
      try await device.client.approveChallengeNotification(notification.id, challengeResponse: "2") == false)
    #expect(try await device.client.getPendingNotifications().count == 1)
    handler.answer(true)
    #expect(try await device.client.approveChallengeNotification(notification.id, challengeResponse: "2"))
    #expect(handler.sent == ["approve 2", "approve 2"] && device.answers.isEmpty)
    // The server's own messages still go to the server.
    #expect(try await device.client.approveNotification(try await device.receive().id))
    #expect(device.answers.count == 1)
  }

  @Test func `the first handler in order is asked, the same in every run`() async throws {
    for _ in 0..<10 {
      let (first, second) = (CustomPushHandler(), CustomPushHandler())
      let device = try await RegisteredDevice { $0.customPushHandlers = ["Z": first, "A": second] }
      let message = "custom:\(device.credential.id)"
      let notification = try #require(try await device.client.processNotification(message: message))
      try await device.client.denyNotification(notification.id, reason: "no")
      #expect(first.sent == ["deny no"] && second.sent.isEmpty)
    }
  }

  @Test func `a handler under the standard key replaces the standard one`() async throws {
    let (server, handler) = (try ScriptedServer(), CustomPushHandler())
    let client = try await makeClient(MemoryPushStorage()) {
      $0.httpClient = server
      $0.customPushHandlers = ["pingam": handler]
    }
    handler.answer(false)
    await expect("registrationFailed") { try await client.addCredentialFromUri(server.uri()) }
    #expect(try await client.getCredentials().isEmpty)
    handler.answer(true)
    try await client.addCredentialFromUri(server.uri())
    #expect(
      handler.sent.last == #"register ["amlbCookie", "challenge", "deviceId", "deviceName", "messageId"]"#)
    #expect(try await client.setDeviceToken("t"))
    #expect(handler.sent.last == "token t" && server.asked.isEmpty)
  }

  @Test func `a handler that is gone is named`() async throws {
    let storage = MemoryPushStorage()
    let device = try await RegisteredDevice(storage) { $0.customPushHandlers = ["OWN": CustomPushHandler()] }
    let notification = try #require(
      try await device.client.processNotification(message: "custom:\(device.credential.id)"))
    let without = try await makeClient(storage) { $0.httpClient = device.server }
    await expect("noHandlerForPlatform") {
      try await without.approveChallengeNotification(notification.id, challengeResponse: "1")
    }
    #expect(try await without.getPendingNotifications().count == 1)
  }

  // MARK: PingAM's handler and responder

  @Test func `what the handler reads has the documented keys`() async throws {
    let server = try ScriptedServer()
    let handler = PingAMPushHandler(httpClient: server)
    let data = try await server.message(
      to: "c", type: .challenge, ttl: 90, sentAt: Date(timeIntervalSince1970: 1_767_225_660),
      numbers: [17, 42, 80],
      username: "bjensen")
    #expect(handler.canHandle(messageData: data))
    let parsed = try handler.parseMessage(messageData: data)
    #expect(parsed["credentialId"] as? String == "c" && parsed["ttl"] as? Int == 90)
    #expect(parsed["timeInterval"] as? Int == 1_767_225_660_000 && parsed["userId"] as? String == "bjensen")
    #expect(
      parsed["numbersChallenge"] as? String == "17,42,80"
        && parsed["amlbCookie"] as? String == "amlbcookie=01")
    #expect(parsed["pushType"] as? String == "challenge" && parsed["messageText"] as? String == "Sign in?")
    #expect(parsed["rawJwt"] as? String == data["message"] as? String)
    #expect(parsed["challenge"] as? String == server.challenge(of: data["messageId"] as? String)?.base64)
    await expect("messageParsingFailed") { try handler.parseMessage(messageData: [:]) }
    await expect("messageParsingFailed") { try handler.parseMessage(message: "a..c") }
    await expect("invalidParameterValue") {
      try await handler.register(
        credential: PushCredential(issuer: "", accountName: "", serverEndpoint: "", sharedSecret: ""),
        params: [:])
    }
  }

  /// A handler of the app that passes messages on to PingAM's reads dictionaries; PingAM's own path does not.
  @Test(arguments: PushMessageType.allCases)
  func `a verified message makes the notification that its dictionary makes`(type: PushMessageType)
    async throws
  {
    let secret = try PushSecret([UInt8](repeating: 7, count: 32))
    for (numbers, codeLength) in [([17, 42, 80], nil), ([], 6), ([], nil)] as [([Int], Int?)] {
      var message = PushMessage(
        mechanismUID: "c", challenge: try PushChallenge([UInt8](repeating: 9, count: 32)),
        loadBalancer: "amlbcookie=01", text: " Sign in? ", sentAtMilliseconds: 1_767_225_660_000,
        timeToLive: 90, username: "bjensen", customPayload: #"{"a":1}"#, contextInfo: #"{"remoteIp":"::1"}"#)
      (message.type, message.numbers, message.codeLength) = (type, numbers, codeLength)
      message.additional = ["more": true]
      let token = try await message.token(secret: secret)
      let now = Date(timeIntervalSince1970: 1_767_225_670)
      let verified = PushNotification(
        try UnverifiedPushMessage(token).verified(with: secret), messageID: "m", handlerKey: "pingam",
        now: now)
      let handler = PingAMPushHandler(httpClient: try ScriptedServer())
      let parsed = try handler.parseMessage(messageData: ["messageId": "m", "message": token])
      let read = try ParsedPushMessage(parsed).notification(id: verified.id, handlerKey: "pingam", now: now)
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      #expect(try encoder.encode(verified) == encoder.encode(read))
      #expect(
        verified.additionalData?["more"] as? Bool == true && read.additionalData?["more"] as? Bool == true)
      #expect(verified.codeLength == (type == .challenge ? codeLength : nil))
    }
  }

  @Test func `a message alone has the beginning of its signature as its id, and cannot be answered`()
    async throws
  {
    let device = try await RegisteredDevice()
    let data = try await device.server.message(to: device.credential.id)
    let token = try #require(data["message"] as? String)
    let handler = PingAMPushHandler(httpClient: device.server)
    let parsed = try handler.parseMessage(message: token)
    #expect(parsed["messageId"] as? String == token.split(separator: ".").last.map { String($0.prefix(8)) })
    #expect(
      try handler.parseMessage(messageData: data)["messageId"] as? String == data["messageId"] as? String)
    // The server knows no such id: the client does not make one that it would have to post.
    let stored = try #require(try await device.client.processNotification(message: token))
    #expect(stored.messageId.isEmpty && !stored.pending)
  }

  @Test(
    arguments: [
      ("CHALLENGE", "CHALLENGE", PushType.challenge), ("Biometric", "Biometric", .biometric),
      ("passkey", "passkey", .default), (nil, "default", .default), ("", "default", .default),
    ] as [(String?, String, PushType)])
  func `a message's type is handed over as it was sent`(sent: String?, handed: String, type: PushType)
    async throws
  {
    let secret = try PushSecret([UInt8](repeating: 7, count: 32))
    var message = PushMessage(
      mechanismUID: "c", challenge: try PushChallenge([UInt8](repeating: 9, count: 32)))
    message.additional = ["e": "My phone", "z": 1]
    var claims = message.claims
    claims["k"] = sent.map { .string($0) }
    let token = try CompactJwt.signJwtClaims(base64Secret: secret.base64, claims: claims.dictionary)
    let parsed = try PingAMPushHandler(httpClient: try ScriptedServer()).parseMessage(message: token)
    #expect(parsed["pushType"] as? String == handed)
    #expect(parsed["deviceName"] as? String == "My phone")
    #expect((parsed["additionalData"] as? [String: Any])?.keys.sorted() == ["z"])
    let read = try ParsedPushMessage(parsed).notification(id: "n", handlerKey: "pingam", now: Date())
    #expect(read.pushType == type)
  }

  @Test(arguments: 4...8) func `a number or code of four to eight digits is sent as it was typed`(length: Int)
    async throws
  {
    let device = try await RegisteredDevice()
    let digits = "0" + String("98765432".prefix(length - 1))
    let typed = try await device.receive(.challenge, codeLength: length)
    #expect(typed.codeLength == length)
    let numbers = [10, 20, Int("98765432".prefix(length)) ?? 0]
    let chosen = try await device.receive(.challenge, numbers: numbers)
    #expect(chosen.getNumbersChallenge() == numbers)
    #expect(try await device.client.approveChallengeNotification(typed.id, challengeResponse: " \(digits) "))
    #expect(
      try await device.client.approveChallengeNotification(chosen.id, challengeResponse: "\(numbers[2])"))
    let sent = try device.answers.map {
      try CompactJwt.parseJwtClaims($0.body["jwt"]?.stringValue ?? "")["challengeResponse"] as? String
    }
    #expect(sent == [digits, "\(numbers[2])"])
  }

  @Test(arguments: ["messageId", "deviceId", "challenge"])
  func `what is missing is named before anything is sent`(name: String) async throws {
    let server = try ScriptedServer()
    let responder = PingAMPushResponder(httpClient: server)
    let credential = PushCredential(
      issuer: "i", accountName: "a", serverEndpoint: server.endpoint, sharedSecret: server.secret.base64)
    var params: [String: Any] = ["messageId": "m", "deviceId": "d", "challenge": server.challenge.base64]
    for value in [nil, " "] as [String?] {
      params[name] = value
      await #expect {
        try await responder.register(credential: credential, params: params)
      } throws: {
        if case PushError.missingRequiredParameter(name) = $0 { true } else { false }
      }
    }
    #expect(server.asked.isEmpty)
  }

  @Test func `what is no Base64 is refused before anything is sent`() async throws {
    let server = try ScriptedServer()
    let responder = PingAMPushResponder(httpClient: server)
    func credential(_ secret: String) -> PushCredential {
      PushCredential(issuer: "i", accountName: "a", serverEndpoint: server.endpoint, sharedSecret: secret)
    }
    let params = ["messageId": "m", "deviceId": "d", "challenge": "!!"]
    let good = credential(server.secret.base64)
    await expect("invalidParameterValue") { try await responder.register(credential: good, params: params) }
    for (secret, challenge) in [
      ("!!", server.challenge.base64), (server.secret.base64, nil), (server.secret.base64, "!"),
    ] {
      let notification = PushNotification(
        credentialId: "c", ttl: 1, messageId: "m", challenge: challenge, pushType: .default)
      await expect("invalidParameterValue") {
        try await responder.sendAuthenticationResponse(
          credential: credential(secret), notification: notification, approve: true,
          numbersChallengeResponse: nil)
      }
    }
    await expect("missingRequiredParameter") {
      try await responder.updateDeviceToken(credential: good, deviceToken: "t")
    }
    #expect(server.asked.isEmpty)
  }

  // MARK: Policies

  @Test func `the policies that both sides know decide, in the evaluator's order`() async {
    let (first, second) = (SwitchedPolicy("first"), SwitchedPolicy("second"))
    let evaluator = MfaPolicyEvaluator.create { $0.policies = [first, second] }
    #expect(await evaluator.getPolicies().map(\.name) == ["first", "second"])
    #expect(await evaluator.getPolicy(policyName: "second")?.name == "second")
    #expect(await evaluator.getPolicy(policyName: "x") == nil)
    second.set(false)
    for text in [nil, "", "{}", #"{"first":{}}"#, #"{"other":{}}"#] as [String?] {
      #expect(await evaluator.evaluate(credentialPolicies: text).isSuccess)
    }
    let text = #"{"second":{},"first":{}}"#
    #expect(await evaluator.evaluate(credentialPolicies: text).nonCompliancePolicyName == "second")
    first.set(false)
    let result = await evaluator.evaluate(credentialPolicies: text)
    #expect(result.isFailure && result.nonCompliancePolicyName == "first")
  }

  @Test func `a policy that cannot be evaluated is not met`() async {
    struct Broken: Error {}
    let evaluator = MfaPolicyEvaluator.create {
      $0.policies = [BiometricAvailablePolicy { throw Broken() }, DeviceTamperingPolicy { 1 }]
    }
    let result = await evaluator.evaluate(
      credentialPolicies: #"{"biometricAvailable":{},"deviceTampering":{}}"#)
    #expect(result.nonCompliancePolicyName == "biometricAvailable")
  }

  @Test(
    arguments: [
      (0.79, nil, true), (0.8, nil, false), (0.5, 0.5, false), (0.4, 0.5, true), (0.9, 1, true),
    ] as [(Double, Double?, Bool)])
  func `tampering is measured against the server's limit`(score: Double, limit: Double?, isMet: Bool)
    async throws
  {
    let policy = DeviceTamperingPolicy { score }
    let data: [String: Any]? = limit.map { ["score": $0] }
    #expect(try await policy.evaluate(data: data) == isMet)
  }
}
