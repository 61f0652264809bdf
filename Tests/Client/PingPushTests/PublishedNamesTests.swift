import Concurrency
import Foundation
import PingDeviceClient
import PingLogger
import PingOrchestrate
import PingPush
import StrictJSON
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// What an app says that was written for the published API: with these modules imported together, and without @testable.

/// A client as apps write them for certificate pinning or for tests.
private final class OwnHttpClient: HttpClient, @unchecked Sendable {
  let sent = Locked<[URLRequest]>([])
  let status: Int

  init(status: Int = 200) {
    self.status = status
    super.init()
  }

  override func sendRequest(request: Request) async throws -> (Data, URLResponse) {
    sent.withLock { $0.append(request.urlRequest) }
    guard status > 0 else { throw URLError(.timedOut) }
    let url = try #require(request.urlRequest.url)
    let head = try #require(
      HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil))
    return (Data("{}".utf8), head)
  }
}

/// A responder of an app's own.
private final class OwnResponder: PingAMPushResponderType {
  let calls = Locked<[String]>([])

  func register(credential: PushCredential, params: [String: Any]) async throws -> Bool {
    calls.withLock { $0.append("register") }
    return true
  }

  func sendAuthenticationResponse(
    credential: PushCredential, notification: PushNotification, approve: Bool,
    numbersChallengeResponse: String?
  ) async throws -> Bool {
    calls.withLock { $0.append("answer \(approve) \(numbersChallengeResponse ?? "-")") }
    return true
  }

  func updateDeviceToken(
    credential: PushCredential, deviceToken: String, deviceName: String?
  ) async throws -> Bool {
    calls.withLock { $0.append("token \(deviceToken) \(deviceName ?? "-")") }
    return true
  }
}

struct PublishedNamesTests {
  private let credential = PushCredential(
    id: "c", userId: "ada", issuer: "Bank", accountName: "ada",
    serverEndpoint: "https://am.example.com/am/json/push/sns/message",
    sharedSecret: Data(repeating: 7, count: 32).base64EncodedString())
  private let question = PushNotification(
    credentialId: "c", ttl: 120, messageId: "m",
    challenge: Data(repeating: 8, count: 32).base64EncodedString(),
    loadBalancer: "amlbcookie=01", pushType: .default)

  @Test func `PushDevice was the name of two types`() {
    let none: PushDevice? = nil
    #expect(none == nil)
  }

  @Test func `a subclass of the orchestrating client could send nothing for push`() async throws {
    let client = OwnHttpClient()
    let responder = PingAMPushResponder(httpClient: client, logger: nil)
    #expect(
      try await responder.sendAuthenticationResponse(
        credential: credential, notification: question, approve: true))
    try await responder.updateDeviceToken(credential: credential, deviceToken: "t")
    try await responder.register(
      credential: credential,
      params: ["messageId": "m", "deviceId": "t", "challenge": question.challenge ?? ""])
    let sent = client.sent.withLock { $0 }
    #expect(sent.map { $0.url?.query } == ["_action=authenticate", "_action=refresh", "_action=register"])
    #expect(sent.allSatisfy { $0.httpMethod == "POST" })
    #expect(sent[0].value(forHTTPHeaderField: "Cookie") == "amlbcookie=01")
    #expect(sent[0].value(forHTTPHeaderField: "Accept-API-Version") == "resource=1.0, protocol=1.0")
    #expect(sent[0].value(forHTTPHeaderField: "Content-Type") == "application/json")
    #expect(try JSONValue(parsing: sent[0].httpBody ?? Data())["messageId"] == "m")
    for status in [500, 0] {
      await expect("networkFailure") {
        try await PingAMPushResponder(httpClient: OwnHttpClient(status: status)).updateDeviceToken(
          credential: credential, deviceToken: "t")
      }
    }
  }

  @Test func `a client of one's own goes into the handler, and the handler into the configuration`()
    async throws
  {
    let (client, server) = (OwnHttpClient(), try ScriptedServer())
    let push = try await makeClient(MemoryPushStorage()) {
      $0.customPushHandlers = ["pingam": PingAMPushHandler(httpClient: client)]
      $0.httpClient = server
    }
    let credential = try await push.addCredentialFromUri(server.uri())
    let notification = try #require(
      try await push.processNotification(messageData: server.message(to: credential.id)))
    #expect(try await push.approveNotification(notification.id))
    #expect(
      client.sent.withLock { $0.map { $0.url?.query } } == ["_action=register", "_action=authenticate"])
    #expect(server.asked.isEmpty)
    // What is asked of messages of this server holds here, too.
    await expect("credentialNotFound") {
      try await push.processNotification(messageData: server.message(to: "somebody else"))
    }
  }

  @Test func `a responder of one's own did not conform`() async throws {
    let responder = OwnResponder()
    let handler = PingAMPushHandler(httpClient: HttpClient(), logger: nil, pushResponder: responder)
    #expect(try await handler.sendApproval(credential: credential, notification: question, params: [:]))
    #expect(try await handler.sendDenial(credential: credential, notification: question, params: [:]))
    #expect(try await handler.setDeviceToken(credential: credential, deviceToken: "t", params: [:]))
    #expect(
      try await handler.setDeviceToken(
        credential: credential, deviceToken: "t", params: ["deviceName": "Phone"]))
    #expect(
      responder.calls.withLock { $0 } == ["answer true -", "answer false -", "token t -", "token t Phone"])
  }

  @Test func `records describe themselves, without what is secret`() {
    let texts = [credential as any CustomStringConvertible, question].map(\.description)
    for part in ["Bank", "ada", "am.example.com", "id: c", "userId"] { #expect(texts[0].contains(part)) }
    for part in ["credentialId: c", "messageId: m", "type: default", "pending: true", "ttl: 120"] {
      #expect(texts[1].contains(part))
    }
    #expect(!texts[0].contains("BwcHBw") && !texts[1].contains("CAgICA"))
  }
}
