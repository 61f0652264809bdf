import Bytes
import Crypto
import Foundation
import JourneyStore
import ProofFixtures
import PushServiceFixtures
import PushTransports
import StrictJSON
import Testing

@Suite struct WebPushDecryptionTests {
  /// A receiver needs nothing of Sealring: the body is RFC 8291, the sender's token RFC 8292.
  @Test func `a script that knows only the standards reads a message and knows its sender`() async throws {
    let now = Date()
    let configuration = try self.configuration()
    let subscriber = Subscriber()
    let item = try item(sentAt: now)
    let (request, endpoint) = try await sent(item, by: configuration, to: subscriber, now: now)
    var headers = JSONObject()
    for name in ["authorization", "content-encoding", "ttl", "urgency", "topic"] {
      headers[name] = .string(try #require(request.header(name)))
    }
    var facts: JSONObject = [
      "endpoint": .string(endpoint), "body": .string(Base64URL.encode(request.body)),
      "headers": .object(headers),
      "privateKey": .string(Base64URL.encode(subscriber.key.rawRepresentation)),
      "auth": .string(Base64URL.encode(subscriber.secret)),
      "applicationServerKey": .string(configuration.applicationServerKey),
      "now": .integer(Int64(now.timeIntervalSince1970)),
    ]
    let result = try await decrypt(facts)
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      try result.json == ["messageId": .string(item.messageID), "message": .string(item.message)])

    // And it can say no.
    let right = facts
    for (name, value, said) in [
      ("auth", Base64URL.encode([UInt8](repeating: 1, count: 16)), "not encrypted for this receiver"),
      ("endpoint", "https://push.example.com/", "another origin"),
      (
        "applicationServerKey", try self.configuration().applicationServerKey,
        "not the one of the subscription"
      ),
    ] {
      facts = right
      facts[name] = .string(value)
      let refused = try await decrypt(facts)
      #expect(refused.status == 1 && refused.errors.contains(said), "\(refused.errors)")
      #expect(refused.output.isEmpty)
    }
    facts = right
    facts["now"] = .integer(Int64(now.timeIntervalSince1970) + 86_400)
    #expect(try await decrypt(facts).errors.contains("has ended"))
  }

  private func configuration() throws -> WebPushConfiguration {
    var configuration = try WebPushConfiguration(
      key: P256.Signing.PrivateKey(), contact: "mailto:operator@example.com")
    configuration.allowsLoopbackHTTP = true
    return configuration
  }

  private func item(sentAt now: Date) throws -> PushInboxItem {
    let claims: JSONObject = [
      "u": "m1", "c": "Y2hhbGxlbmdl", "m": "Pay 10 € to Zoë?", "k": "default", "t": "120",
      "i": .string(String(Int64(now.timeIntervalSince1970 * 1000))),
    ]
    let message = try Tokens.hs256(claims, secret: Array(0..<32))
    return PushInboxItem(messageID: "AUTHENTICATE:1", mechanismUID: "m1", message: message)
  }

  /// The request that reaches the push service.
  private func sent(
    _ item: PushInboxItem, by configuration: WebPushConfiguration, to subscriber: Subscriber, now: Date
  ) async throws -> (SeenRequest, endpoint: String) {
    try await TestPushService.run(tls: nil, answer: { _ in Reply(status: 201) }) { service in
      let sender = WebPushService(
        configuration, clock: { now },
        randomBytes: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } })
      let endpoint = "http://127.0.0.1:\(service.port)/push/1"
      let outcome = await sender.send(
        try PushNotice(item), toToken: subscriber.token(endpoint), device: item.mechanismUID)
      await sender.close()
      #expect(outcome == .sent)
      return (try #require(service.requests.first), endpoint)
    }
  }

  private func decrypt(_ facts: JSONObject) async throws -> CommandLineTool.Result {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Interoperability/web_push_decrypt.py")
    return try await RunningCommand(
      path: "/usr/bin/python3", arguments: [script.path(percentEncoded: false)],
      environment: ["PYTHONDONTWRITEBYTECODE": "1"], input: String(decoding: facts.serialized, as: UTF8.self)
    ).finish()
  }
}
