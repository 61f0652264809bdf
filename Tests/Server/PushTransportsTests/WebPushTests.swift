import CommonFixtures
import Bytes
import Concurrency
import Crypto
import Foundation
import JourneyStore
import NIOCore
import NIOPosix
import ProofFixtures
import PushServiceFixtures
import StrictJSON
import Testing
import WebAddresses

@testable import PushTransports

@Suite("Web Push") struct WebPushTests {
  private static let key = P256.Signing.PrivateKey()

  private func configuration(
    privateAddresses: Bool = false, loopbackHTTP: Bool = true
  ) throws -> WebPushConfiguration {
    var configuration = try WebPushConfiguration(key: Self.key, contact: "mailto:operator@example.com")
    configuration.allowsPrivateAddresses = privateAddresses
    configuration.allowsLoopbackHTTP = loopbackHTTP
    return configuration
  }

  private func sender(
    _ configuration: WebPushConfiguration, clock: PausingClock = PausingClock(),
    dependencies: WebPushService.Dependencies = .init()
  ) -> WebPushService {
    WebPushService(
      configuration, clock: { clock.now },
      randomBytes: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } }, dependencies: dependencies
    )
  }

  /// Runs a sender against a push service on this machine, by plain HTTP.
  private func withService(
    clock: PausingClock = PausingClock(), answer: @escaping TestPushService.Answer,
    body: (WebPushService, TestPushService, _ endpoint: String) async throws -> Void
  ) async throws {
    try await TestPushService.run(tls: nil, answer: answer) { service in
      let sender = sender(try configuration(), clock: clock)
      do {
        try await body(sender, service, "http://127.0.0.1:\(service.port)/push/secret-path?x=1")
        await sender.close()
      } catch {
        await sender.close()
        throw error
      }
    }
  }

  private func send(_ sender: WebPushService, to token: String) async -> PushSendOutcome {
    guard let notice = try? await Fixture.notice() else { return .failed("no notice") }
    return await sender.send(notice, toToken: token, device: "m1")
  }

  /// The scripts' client, which shares the pinning of addresses.
  @Test(arguments: ["http://host.example", "http://HOST.Example", "HTTP://HOST.EXAMPLE"])
  func `a request goes to the address that was checked, however its host is written`(
    _ start: String
  ) async throws {
    try await TestPushService.run(tls: nil, answer: { _ in .ok }) { service in
      let client = CheckedClient(answering: 5) { _, port in
        [try SocketAddress(ipAddress: "127.0.0.1", port: port)]
      }
      let address = "\(start):\(service.port)/a/B?x=Y"
      let answer = try await client.send(
        "GET", address, of: try #require(WebOrigin(address: address)), headers: [:], body: nil,
        allowsPrivate: true, limit: 100)
      #expect(answer.status == 200)
      #expect(service.requests.map(\.path) == ["/a/B?x=Y"])
    }
  }

  @Test(arguments: [
    ("https://a.attacker.example/1", "https://b.attacker.example:8443/2", true),
    ("https://push.example.co.uk/1", "https://push.other.co.uk/1", false),
    ("https://fcm.googleapis.com/1", "https://fcm.googleapis.com/2", true),
    ("https://203.0.113.1/1", "https://203.0.113.1:444/1", true),
    ("https://203.0.113.1/1", "https://203.0.113.2/1", false),
  ])
  func `names and ports of one registered domain share places`(one: String, other: String, areOne: Bool)
    throws
  {
    let sender = sender(try configuration())
    let subscriber = Subscriber()
    let lanes = [one, other].map { sender.lane(ofToken: subscriber.token($0)) }
    #expect((lanes[0] == lanes[1]) == areOne, "\(lanes)")
    #expect(!lanes[0].isEmpty)
  }

  // MARK: The request

  @Test
  func `the receiver reads message and id, and the push service learns who sends and how long it matters`()
    async throws
  {
    try await withService(answer: { _ in
      Reply(status: 201)
    }) { sender, service, endpoint in
      let subscriber = Subscriber()
      #expect(await send(sender, to: subscriber.token(endpoint)) == .sent)
      let request = try #require(service.requests.first)
      #expect(request.path == "/push/secret-path?x=1")
      #expect(request.header("ttl") == "120")
      #expect(request.header("urgency") == "high")
      #expect(request.header("content-encoding") == "aes128gcm")
      let topic = try #require(request.header("topic"))
      #expect(topic.utf8.count == 32 && Base64URL.decode(topic) != nil)
      let item = try await Fixture.item()
      #expect(
        try JSONValue(parsing: subscriber.open(request.body))
          == ["messageId": "AUTHENTICATE:1", "message": .string(item.message)])
      let authorization = try #require(request.header("authorization"))
      let parts = authorization.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(parts[0].hasPrefix("vapid t="))
      #expect(parts[1] == "k=\(Base64URL.encode(Self.key.publicKey.x963Representation))")
      let token = try VerifiedToken(
        String(parts[0].dropFirst("vapid t=".count)), jwk: Self.key.publicKey.jwk())
      #expect(
        token.claims == [
          "aud": .string("http://127.0.0.1:\(service.port)"),
          "exp": .integer(Int64(noon.timeIntervalSince1970) + 12 * 3600),
          "sub": "mailto:operator@example.com",
        ])
    }
  }

  @Test func `each message has a key and salt of its own, and the sender's token serves for hours`()
    async throws
  {
    let clock = PausingClock()
    try await withService(
      clock: clock,
      answer: { _ in
        Reply(status: 201)
      }
    ) { sender, service, endpoint in
      let token = Subscriber().token(endpoint)
      for _ in 0..<3 { #expect(await send(sender, to: token) == .sent) }
      #expect(Set(service.requests.map { $0.header("authorization") }).count == 1)
      #expect(Set(service.requests.map { Array($0.body.prefix(16)) }).count == 3)
      #expect(Set(service.requests.map { Array($0.body[21..<86]) }).count == 3)
      clock.advance(by: 11 * 3600)
      _ = await send(sender, to: token)
      #expect(Set(service.requests.map { $0.header("authorization") }).count == 2)
      #expect(service.requests.last?.header("ttl") == "0")
    }
  }

  // MARK: Answers

  @Test(arguments: [200, 201, 202, 204, 301, 307, 400, 401, 403, 404, 410, 413, 429, 500, 503])
  func `each answer of a push service has its consequence`(status: Int) async throws {
    try await withService(answer: { _ in
      Reply(status: status, headers: [("location", "http://127.0.0.1:1/"), ("retry-after", "9")])
    }) { sender, service, endpoint in
      let text = "http://127.0.0.1:\(service.port) answered \(status)"
      let outcome = await send(sender, to: Subscriber().token(endpoint))
      switch status {
      case 200..<300: #expect(outcome == .sent)
      case 404, 410: #expect(outcome == .retired(text))
      case 429, 500...: #expect(outcome == .retry(text, after: 9))
      default:
        guard case .failed(let reason) = outcome else {
          Issue.record("It must fail, not \(outcome).")
          return
        }
        #expect(reason.hasPrefix(text) && !reason.contains("secret-path"))
      }
      #expect(service.requests.count == 1)
    }
  }

  @Test func `a service that drops the connection is asked again later`() async throws {
    try await withService(answer: { _ in
      nil
    }) { sender, _, endpoint in
      guard case .retry(let reason, nil) = await send(sender, to: Subscriber().token(endpoint)) else {
        Issue.record("It must be tried again.")
        return
      }
      #expect(!reason.contains("secret-path"))
    }
  }

  @Test func `push services by TLS are spoken to under their own name, at the address that was checked`()
    async throws
  {
    let certificates = try TestCertificates()
    try await TestPushService.run(tls: certificates, answer: { _ in Reply(status: 201) }) { service in
      var dependencies = WebPushService.Dependencies { host, port in
        #expect(host == "push.example.com")
        return [try SocketAddress(ipAddress: "127.0.0.1", port: port)]
      }
      dependencies.trust = certificates.trust
      let sender = sender(try configuration(privateAddresses: true), dependencies: dependencies)
      let token = Subscriber().token("https://PUSH.example.com:\(service.port)/p")
      #expect(await send(sender, to: token) == .sent)
      #expect(await send(sender, to: token) == .sent)
      #expect(service.connections == 1)
      await sender.close()
    }
  }

  @Test func `an address that does not answer is passed over the next time`() async throws {
    try await TestPushService.run(tls: nil, answer: { _ in Reply(status: 201) }) { service in
      let dependencies = WebPushService.Dependencies { _, port in
        // Nobody listens at the first.
        [
          try SocketAddress(ipAddress: "127.0.0.9", port: port),
          try SocketAddress(ipAddress: "127.0.0.1", port: port),
        ]
      }
      let sender = sender(try configuration(), dependencies: dependencies)
      let token = Subscriber().token("http://localhost:\(service.port)/p")
      guard case .retry = await send(sender, to: token) else {
        Issue.record("The first address must not answer.")
        return
      }
      #expect(await send(sender, to: token) == .sent)
      await sender.close()
    }
  }

  // MARK: Where endpoints may lead

  @Test(
    arguments: [
      "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1",
      "0.0.0.0", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fd00::1",
      "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1", "2001:db8::1", "ff02::1", "2001::1",
    ])
  func `endpoints in networks that are not public are refused`(address: String) async throws {
    let asked = Locked(0)
    let dependencies = WebPushService.Dependencies { _, port in
      asked.withLock { $0 += 1 }
      return [
        try SocketAddress(ipAddress: "93.184.215.14", port: port),
        try SocketAddress(ipAddress: address, port: port),
      ]
    }
    let sender = sender(try configuration(loopbackHTTP: false), dependencies: dependencies)
    let named = Subscriber().token("https://push.example.com/p")
    #expect(try sender.address(forToken: named) == "https://push.example.com/p")
    #expect(
      await send(sender, to: named) == .failed("the endpoint's host is not in the public network"),
      "a name is judged by all of its addresses")
    #expect(asked.withLock { $0 } == 1)
    let literal = Subscriber().token("https://\(address.contains(":") ? "[\(address)]" : address)/p")
    #expect(throws: PushSendError.self) { try sender.address(forToken: literal) }
    guard case .failed = await send(sender, to: literal) else {
      Issue.record("It must fail.")
      return
    }
    await sender.close()
  }

  @Test(arguments: ["2130706433", "0x7f.1", "127.1", "0177.0.0.1", "localhost"])
  func `other spellings of this machine's address are seen through`(host: String) async throws {
    let sender = sender(try configuration(loopbackHTTP: false))
    switch await send(sender, to: Subscriber().token("https://\(host):1/p")) {
    case .failed, .retry("no address is known for the endpoint's host", after: nil): break
    case let outcome: Issue.record("It must not be spoken to, but \(outcome).")
    }
    await sender.close()
  }

  @Test(
    arguments: [
      "93.184.215.14", "172.32.0.1", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::5db8:d70e",
    ])
  func `public addresses are taken`(address: String) throws {
    let literal = address.contains(":") ? "[\(address)]" : address
    let sender = sender(try configuration(loopbackHTTP: false))
    #expect(throws: Never.self) {
      try sender.address(forToken: Subscriber().token("https://\(literal)/p"))
    }
  }

  /// The files of security events are written on SwiftNIO's shared threads, of which there are as many as cores.
  @Test func `names are resolved, however slowly, on no thread that others need`() async throws {
    let release = DispatchSemaphore(value: 0)
    let begun = Signal()
    let (count, busy) = (NIOSingletons.blockingPoolThreadCountSuggestion, Locked(0))
    try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          try await NIOThreadPool.singleton.runIfActive {
            if busy.withLock({
              $0 += 1; return $0
            }) == count {
              begun.fire()
            }
            release.wait()
          }
        }
      }
      defer { for _ in 0..<count { release.signal() } }
      try await begun.wait(until: "all shared threads are taken")
      let found = try await firstOf(
        { try await EndpointGuard.system("127.0.0.1", 443) }, orAfter: .seconds(60), abandoning: true)
      #expect(found.map(\.ipAddress) == ["127.0.0.1"])
    }
  }

  @Test func `plain HTTP is for this machine alone, and only when switched on`() async throws {
    let here = Subscriber().token("http://127.0.0.1:1/p")
    #expect(throws: PushSendError.self) {
      try sender(try configuration(loopbackHTTP: false)).address(forToken: here)
    }
    #expect(throws: PushSendError.self) {
      try sender(try configuration(privateAddresses: true, loopbackHTTP: false)).address(forToken: here)
    }
    let switched = sender(try configuration())
    #expect(throws: Never.self) { try switched.address(forToken: here) }
    #expect(throws: PushSendError.self) {
      try switched.address(forToken: Subscriber().token("http://93.184.215.14/p"))
    }
    #expect(throws: PushSendError.self) {
      try switched.address(forToken: Subscriber().token("https://127.0.0.1/p"))
    }
    let elsewhere = sender(
      try configuration(),
      dependencies: .init { _, port in [try SocketAddress(ipAddress: "93.184.215.14", port: port)] })
    #expect(
      await send(elsewhere, to: Subscriber().token("http://push.example.com/p"))
        == .failed("the subscription's endpoint is not https"))
  }

  // MARK: Subscriptions

  private static let point = Base64URL.encode(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)

  @Test(
    arguments: [
      "", "abc", "[]", "{}", #"{"endpoint":"https://a.example"}"#,
      #"{"endpoint":"https://a.example","keys":{"p256dh":"\#(point)","auth":"AAAA"}}"#,
      #"{"endpoint":"https://a.example","keys":{"p256dh":"AAAA","auth":"AAAAAAAAAAAAAAAAAAAAAA"}}"#,
      #"{"endpoint":"https://a.example","keys":{"p256dh":"\#(Base64URL.encode([4] + [UInt8](repeating: 1, count: 64)))","auth":"AAAAAAAAAAAAAAAAAAAAAA"}}"#,
      #"{"endpoint":"https://a.example","endpoint":"https://b.example","keys":{"p256dh":"\#(point)","auth":"AAAAAAAAAAAAAAAAAAAAAA"}}"#,
    ])
  func `what is not a subscription is refused`(token: String) throws {
    #expect(throws: PushSendError.self) { try WebPushSubscription(token: token) }
  }

  @Test(
    arguments: [
      "", "a.example", "ftp://a.example/", "https:///p", "https://user@a.example/", "https://u:p@a.example/",
      "https://a.example/#f", "https://a.example:0/", "https://a.example:99999/", "https://a b.example/",
      "https://a%2eexample/", "https://ä.example/", "https://[vz]/", "https://[::1/", "file:///etc/passwd",
      "https://a.example/" + String(repeating: "x", count: 1000),
    ])
  func `what is not an endpoint is refused`(endpoint: String) throws {
    #expect(throws: PushSendError.self) { try WebPushSubscription(token: Subscriber().token(endpoint)) }
  }

  @Test func `keys are read in both alphabets of Base64, padded or not`() throws {
    let subscriber = Subscriber()
    let padded: JSONObject = [
      "endpoint": "https://a.example/p",
      "keys": [
        "p256dh": .string(subscriber.key.publicKey.x963Representation.base64EncodedString()),
        "auth": .string(Data(subscriber.secret).base64EncodedString()),
      ],
    ]
    let read = try WebPushSubscription(token: String(decoding: padded.serialized, as: UTF8.self))
    #expect(read.secret == subscriber.secret)
    #expect(read.key.x963Representation == subscriber.key.publicKey.x963Representation)
  }

  @Test(
    arguments: [
      ("https://A.example/p", "https://a.example"), ("https://a.example:443/p", "https://a.example"),
      ("https://a.example:8443/p", "https://a.example:8443"), ("http://[::1]:80/p", "http://[::1]"),
    ])
  func `an origin has a port only where it is not the scheme's own`(endpoint: String, origin: String) throws {
    #expect(try WebPushSubscription(token: Subscriber().token(endpoint)).origin == origin)
  }

  // MARK: Configuration

  @Test(arguments: [
    "", "operator@example.com", "mailto:", "mailto:nobody", "http://a.example", "mailto:a@b c",
  ])
  func `the contact is one`(contact: String) {
    #expect(throws: PushConfigurationError.self) { try WebPushConfiguration(key: Self.key, contact: contact) }
  }

  @Test func `the key's file is made once, for its owner alone, and never changed`() throws {
    let folder = try TemporaryFolder.make()
    let file = folder.file("vapid.pem")
    let key = try VAPIDKeyFile.key(at: file)
    #expect(try VAPIDKeyFile.key(at: file).rawRepresentation == key.rawRepresentation)
    #expect(try mode(of: file) == 0o600)
    #expect(try folder.names() == ["vapid.pem"])
    let other = folder.file("other.pem")
    try Data("no key".utf8).write(to: other)
    #expect(throws: PushConfigurationError.self) { try VAPIDKeyFile.key(at: other) }
    #expect(try Data(contentsOf: other) == Data("no key".utf8))
    #expect(throws: PushConfigurationError.self) {
      try VAPIDKeyFile.key(at: folder.file("none/vapid.pem"))
    }
  }
}
