import CommonFixtures
import Concurrency
import Foundation
import PingCommons
import PingStorage
import PushFormats
import Testing

@testable import PingPush

/// A handler of an app whose messages say what the test wants, and whose credentials may be anywhere.
final class FormatHandler: PushHandler {
  typealias Fields = @Sendable () -> [String: Any]

  private let fields: Locked<[Fields]>
  private let log = Locked<[String]>([])
  private let failure = Locked<PushError?>(nil)

  /// - Parameter fields: What the messages say, one after the other; the last one for all that follow.
  init(_ fields: Fields...) { self.fields = Locked(fields) }

  var sent: [String] { log.withLock { $0 } }

  func canHandle(messageData: [String: Any]) -> Bool { messageData["format"] as? String == "own" }
  func canHandle(message: String) -> Bool { message == "own" }
  func parseMessage(messageData: [String: Any]) throws -> [String: Any] { next() }
  func parseMessage(message: String) throws -> [String: Any] { next() }

  private func next() -> [String: Any] {
    fields.withLock { fields in fields.count > 1 ? fields.removeFirst() : fields[0] }()
  }

  /// The next answers throw that.
  func fail(_ error: PushError?) { failure.withLock { $0 = error } }

  private func note(_ text: String) throws -> Bool {
    if let failure = failure.withLock({ $0 }) { throw failure }
    log.withLock { $0.append(text) }
    return true
  }

  func sendApproval(
    credential: PushCredential, notification: PushNotification, params: [String: Any]
  ) async throws -> Bool {
    try note("approve \(credential.id) \(credential.issuer) \(params.map { "\($0.key)=\($0.value)" })")
  }

  func sendDenial(
    credential: PushCredential, notification: PushNotification, params: [String: Any]
  ) async throws -> Bool { try note("deny \(credential.id) \(credential.issuer) \(params.keys.sorted())") }

  func setDeviceToken(
    credential: PushCredential, deviceToken: String, params: [String: Any]
  ) async throws -> Bool { try note("token \(deviceToken)") }

  func register(credential: PushCredential, params: [String: Any]) async throws -> Bool {
    try note("register \(params.keys.sorted())")
  }
}

/// Handlers of apps, whose messages, credentials and answers are their own: what PingAM needs must not be asked of them.
struct CustomHandlerTests {
  /// A client of which nothing is stored but what its handler's messages bring.
  private func withClient(
    _ handler: FormatHandler, inFile: Bool = false,
    _ body: (PushClient, ScriptedServer, ManualDate) async throws -> Void
  ) async throws {
    try await withHome { home in
      let (server, clock) = (try ScriptedServer(), ManualDate(Date()))
      let storage: any PushStorage = inFile ? PushKeychainStorage(home: home) : MemoryPushStorage()
      let client = try await makeClient(storage, clock: clock) {
        $0.customPushHandlers = [handler]
        $0.httpClient = server
      }
      try await body(client, server, clock)
      #expect(server.asked.isEmpty)
    }
  }

  private func receive(_ client: PushClient) async throws -> PushNotification {
    try #require(try await client.processNotification(messageData: ["format": "own"]))
  }

  @Test(arguments: [false, true])
  func `a notification without a challenge and an id could never be answered`(inFile: Bool) async throws {
    let handler = FormatHandler { ["credentialId": "elsewhere"] }
    try await withClient(handler, inFile: inFile) { client, _, _ in
      let (first, second) = (try await receive(client), try await receive(client))
      #expect(first.pending && first.challenge == nil && first.messageId.isEmpty && first.id != second.id)
      #expect(try await Set(client.getPendingNotifications().map(\.id)) == [first.id, second.id])
      #expect(try await client.approveNotification(first.id))
      #expect(try await client.denyNotification(second.id))
      #expect(handler.sent == ["approve elsewhere  []", "deny elsewhere  []"])
      #expect(try await client.getPendingNotifications().isEmpty)
      #expect(try await client.getNotification(first.id)?.approved == true)
      #expect(try await client.approveNotification(first.id) == false)
    }
  }

  @Test func `a message of a credential that is kept elsewhere was refused`() async throws {
    let handler = FormatHandler { ["credentialId": "elsewhere", "messageId": "m", "userId": "u"] }
    try await withClient(handler) { client, _, _ in
      let one = try await receive(client)
      #expect(one.credentialId == "elsewhere" && one.pending)
      #expect(try await receive(client).id == one.id)
      #expect(try await client.getCredentials().isEmpty)
      #expect(try await client.denyNotification(one.id, reason: "no"))
      #expect(handler.sent == [#"deny elsewhere  ["reason"]"#])
    }
  }

  /// Each of them is the first one of its credential.
  @Test func `messages of credentials that nobody knows do not fill the storage`() async throws {
    let (handler, clock) = (FormatHandler { ["credentialId": UUID().uuidString] }, ManualDate(Date()))
    let client = try await makeClient(MemoryPushStorage(), clock: clock) {
      $0.customPushHandlers = [handler]
      $0.notificationCleanupConfig = .countBased(maxNotifications: 3)
    }
    var last: PushNotification?
    for _ in 0..<10 {
      clock.advance(by: 1)
      last = try await receive(client)
    }
    let stored = try await client.getAllNotifications()
    #expect(stored.count == 3 && stored.contains { $0.id == last?.id })
  }

  @Test func `a stored credential is handed to the app's handler, locked or not`() async throws {
    let id = UUID().uuidString
    let (handler, policy) = (FormatHandler { ["credentialId": id] }, SwitchedPolicy())
    let storage = MemoryPushStorage()
    let client = try await makeClient(storage) {
      $0.customPushHandlers = [handler]
      $0.policyEvaluator = .create { $0.policies = [policy] }
    }
    try await client.saveCredential(
      PushCredential(
        id: id, issuer: "Bank", accountName: "a", serverEndpoint: "https://bank.example", sharedSecret: "",
        policies: #"{"deviceTampering":{}}"#))
    let notification = try await receive(client)
    policy.set(false)
    await expect("credentialLocked") { try await client.approveNotification(notification.id) }
    #expect(try await client.denyNotification(notification.id))
    #expect(handler.sent == ["deny \(id) Bank []"])
  }

  @Test(arguments: PushType.allCases)
  func `a push type that was handed over as such was default`(type: PushType) async throws {
    for value in [type, type.rawValue, type.rawValue.uppercased()] as [any Sendable] {
      let handler = FormatHandler { ["credentialId": "c", "pushType": value, "numbersChallenge": [4, 8]] }
      try await withClient(handler) { client, _, _ in
        let notification = try await receive(client)
        #expect(notification.pushType == type && notification.getNumbersChallenge() == [4, 8])
        let approved =
          switch type {
          case .default: try await client.approveNotification(notification.id)
          case .challenge:
            try await client.approveChallengeNotification(notification.id, challengeResponse: " 8 ")
          case .biometric:
            try await client.approveBiometricNotification(notification.id, authenticationMethod: "face")
          }
        #expect(approved)
        let parameters =
          switch type {
          case .default: "[]"
          case .challenge: #"["challengeResponse=8"]"#
          case .biometric: #"["authenticationMethod=face"]"#
          }
        #expect(handler.sent == ["approve c  \(parameters)"])
      }
    }
  }

  @Test func `the handler decides whether a tap is enough`() async throws {
    let types: [PushType] = [.challenge, .biometric]
    for type in types {
      let handler = FormatHandler { ["credentialId": "c", "pushType": type] }
      try await withClient(handler) { client, _, _ in
        let id = try await receive(client).id
        #expect(try await client.approveNotification(id))
        #expect(handler.sent == ["approve c  []"])
      }
    }
  }

  private static let payloads: [(any Sendable, String?)] = [
    (
      ["amount": 12, "to": ["Ada", String?.none] as [any Sendable], "ok": true] as [String: any Sendable],
      #"{"amount":12,"ok":true,"to":["Ada",null]}"#
    ),
    ([1, "two", 3.5] as [any Sendable], #"[1,"two",3.5]"#), (Data(#"{"a":1}"#.utf8), #"{"a":1}"#),
    (Data([0xFF, 0x00]), "/wA="), ("as it is ", "as it is "), (7, "7"), (NSNull(), nil), (Date(), nil),
  ]

  @Test(arguments: payloads)
  func `a payload that was no text was lost`(payload: any Sendable, expected: String?) async throws {
    let handler = FormatHandler { ["credentialId": "c", "customPayload": payload, "contextInfo": payload] }
    try await withClient(handler, inFile: true) { client, _, _ in
      let id = try await receive(client).id
      let notification = try #require(try await client.getNotification(id))
      #expect(notification.customPayload == expected)
      #expect(notification.contextInfo == expected?.trimmingCharacters(in: .whitespaces))
    }
  }

  @Test func `a question with the challenge of another one was taken for it`() async throws {
    let handler = FormatHandler(
      { ["credentialId": "c", "messageId": "1", "challenge": "yes or no"] },
      { ["credentialId": "c", "messageId": "2", "challenge": "yes or no"] },
      { ["credentialId": "c", "challenge": "yes or no"] })
    try await withClient(handler) { client, _, _ in
      for _ in 0..<3 { _ = try await receive(client) }
      #expect(try await client.getPendingNotifications().count == 3)
      for notification in try await client.getPendingNotifications() {
        #expect(try await client.approveNotification(notification.id))
      }
      #expect(handler.sent.count == 3)
    }
  }

  /// A handler that gives seconds for milliseconds, or a server whose clock is wrong.
  @Test func `a time of sending that nobody has signed ended the question`() async throws {
    let now = Int(Date().timeIntervalSince1970)
    let handler = FormatHandler { ["credentialId": "c", "ttl": 60.0, "timeInterval": now] }
    try await withClient(handler, inFile: true) { client, _, clock in
      let notification = try await receive(client)
      #expect(notification.sentAt != nil)
      #expect(try await client.getPendingNotifications().map(\.id) == [notification.id])
      clock.advance(by: 60.5)
      #expect(try await client.getPendingNotifications().isEmpty)
      #expect(try await client.approveNotification(notification.id) == false)
    }
  }

  @Test func `an answer that the handler could not send leaves the question open`() async throws {
    let handler = FormatHandler { ["credentialId": "c"] }
    try await withClient(handler) { client, _, _ in
      let notification = try await receive(client)
      handler.fail(PushError.networkFailure("no connection", nil))
      await expect("networkFailure") { try await client.approveNotification(notification.id) }
      await expect("networkFailure") { try await client.denyNotification(notification.id) }
      #expect(try await client.getPendingNotifications().map(\.id) == [notification.id])
      handler.fail(nil)
      #expect(try await client.denyNotification(notification.id))
    }
  }

  @Test func `without a credential's id there is nothing to store`() async throws {
    for fields in [[:], ["credentialId": " "], ["credentialId": 7]] as [[String: any Sendable]] {
      try await withClient(FormatHandler { fields }) { client, _, _ in
        await expect("messageParsingFailed") {
          try await client.processNotification(messageData: ["format": "own"])
        }
        let stored = try await client.getAllNotifications()
        #expect(stored.isEmpty)
      }
    }
  }

  // MARK: Ways to register them

  @Test func `a dictionary of anything could not be assigned`() async throws {
    let (first, second, log) = (FormatHandler { [:] }, FormatHandler { ["credentialId": "c"] }, KeptLog())
    let handlers: [String: Any] = ["B": first, "A": second, "C": "no handler"]
    let configuration = PushConfiguration()
    configuration.storage = MemoryPushStorage()
    configuration.logger = log
    configuration.customPushHandlers = handlers
    let read: [String: Any] = configuration.customPushHandlers
    #expect(read.count == 2 && read["A"] as? FormatHandler === second)
    #expect(configuration.customPushHandlers.keys == ["A", "B"])
    let client = try await PushClient.createClient(configuration: configuration)
    // Asked in the order of the keys.
    #expect(try await client.processNotification(message: "own")?.credentialId == "c")
    #expect(log.lines.contains { $0.contains("C is a String, not a PushHandler") })
    let typed = ["B": first, "A": second]
    configuration.customPushHandlers = typed
    #expect(configuration.customPushHandlers.keys == ["A", "B"])
    // A literal keeps the order in which it is written.
    configuration.customPushHandlers = ["B": first, "A": second]
    #expect(configuration.customPushHandlers.keys == ["B", "A"])
    configuration.customPushHandlers["B"] = nil
    #expect(configuration.customPushHandlers.count == 1)
  }

  @Test func `under the platform's key an app's handler takes the place of the standard one`() async throws {
    let handler = FormatHandler { ["credentialId": "c"] }
    let server = try ScriptedServer()
    let client = try await makeClient(MemoryPushStorage()) {
      $0.customPushHandlers = ["pingam": handler]
      $0.httpClient = server
    }
    let credential = try await client.addCredentialFromUri(server.uri())
    #expect(try await client.setDeviceToken("t", credentialId: credential.id))
    #expect(
      handler.sent == [
        #"register ["amlbCookie", "challenge", "deviceId", "deviceName", "messageId"]"#, "token t",
      ])
    #expect(try await client.processNotification(messageData: server.message(to: credential.id)) == nil)
    #expect(try await client.processNotification(message: "own")?.pending == true)
    #expect(server.asked.isEmpty)
  }
}
