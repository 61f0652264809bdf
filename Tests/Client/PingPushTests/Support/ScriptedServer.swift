import CommonFixtures
import Concurrency
import Foundation
import PingCommons
import PingNetwork
import PushFormats
import StrictJSON
import Testing

@testable import PingPush

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server in the process: signs enrolments and messages, answers with the statuses it was told, and keeps what was asked.
final class ScriptedServer: HttpClientProtocol {
  struct Asked: Sendable {
    var url: String
    var headers: [String: String]
    var body: JSONValue
    var action: String? { url.split(separator: "=").last.map(String.init) }
  }

  private struct State {
    var asked: [Asked] = []
    var statuses: [Int] = []
    var held: Held?
    var body = "{}"
    var challenges: [String: PushChallenge] = [:]
  }

  /// The requests that wait for ``release()``.
  private struct Held {
    var waiting: [CheckedContinuation<Void, Never>] = []
    let arrived = Signal()
  }

  private let state = Locked(State())
  let secret: PushSecret
  let challenge: PushChallenge
  let endpoint: String

  /// What the message `id` asked to be answered.
  func challenge(of id: String?) -> PushChallenge? { state.withLock { $0.challenges[id ?? ""] } }

  var asked: [Asked] { state.withLock { $0.asked } }

  /// How many bytes its challenges have.
  private let challengeCount: Int

  /// - Parameters:
  ///   - secretCount: How many bytes its secret has.
  ///   - challengeCount: How many bytes its challenges have.
  init(
    endpoint: String = "https://am.example.com/am/json/alpha/push/sns/message", secretCount: Int = 32,
    challengeCount: Int = 32
  ) throws {
    secret = try PushSecret(Self.bytes(secretCount))
    challenge = try PushChallenge(Self.bytes(challengeCount))
    self.challengeCount = challengeCount
    self.endpoint = endpoint
  }

  private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255) } }

  /// The next answers; 200 afterwards.
  func answer(_ statuses: Int..., body: String = "{}") {
    state.withLock {
      $0.statuses = statuses
      $0.body = body
    }
  }

  /// Answers nothing until ``release()``, which every test has to call, also when it fails: requests wait for it.
  ///
  /// - Returns: what the first request that is held fires.
  func hold() -> Signal {
    let held = Held()
    state.withLock { $0.held = held }
    return held.arrived
  }

  func release() {
    let held = state.withLock { state in
      defer { state.held = nil }
      return state.held?.waiting ?? []
    }
    for continuation in held { continuation.resume() }
  }

  // MARK: What it signs

  func uri(
    issuer: String = "Example Bank", account: String = "bjensen", userID: String? = "bjensen",
    policies: String? = nil
  ) throws -> String {
    PushEnrolmentURI(
      issuer: issuer, accountName: account,
      registrationURL: try PushServerURL(endpoint + "?_action=register"),
      authenticationURL: try PushServerURL(endpoint + "?_action=authenticate"), secret: secret,
      challenge: challenge, loadBalancer: "amlbcookie=01", messageID: "REGISTER:1", userID: userID,
      policies: policies
    ).uri()
  }

  func message(
    to credential: String, id: String = "AUTHENTICATE:\(UUID().uuidString)",
    type: PushMessageType = .default, ttl: Int = 120, sentAt: Date? = nil, numbers: [Int] = [],
    codeLength: Int? = nil, username: String? = nil, signedWith other: PushSecret? = nil
  ) async throws -> [String: Any] {
    let challenge = try PushChallenge(Self.bytes(challengeCount))
    state.withLock { $0.challenges[id] = challenge }
    var message = PushMessage(
      mechanismUID: credential, challenge: challenge, loadBalancer: "amlbcookie=01", text: "Sign in?",
      sentAtMilliseconds: sentAt.map { Int64($0.timeIntervalSince1970 * 1000) }, timeToLive: ttl,
      username: username)
    (message.type, message.numbers, message.codeLength) = (type, numbers, codeLength)
    return ["messageId": id, "message": try await message.token(secret: other ?? secret)]
  }

  // MARK: HTTP

  func request() -> any HttpRequest { URLSessionHttpRequest() }

  func request(
    builder: @escaping @Sendable (any HttpRequest) -> Void
  ) async -> Result<any HttpResponse, any Error> {
    let request = request()
    builder(request)
    return await self.request(request: request)
  }

  func request(request: any HttpRequest) async -> Result<any HttpResponse, any Error> {
    guard let built = (request as? URLSessionHttpRequest)?.buildURLRequest() else {
      return .failure(NetworkError.invalidRequest("not buildable"))
    }
    let asked = Asked(
      url: built.url?.absoluteString ?? "", headers: request.getHeaders(),
      body: (try? JSONValue(parsing: built.httpBody ?? Data())) ?? .null)
    await withCheckedContinuation { continuation in
      let arrived = state.withLock { state in
        state.asked.append(asked)
        state.held?.waiting.append(continuation)
        return state.held?.arrived
      }
      if let arrived { arrived.fire() } else { continuation.resume() }
    }
    let (status, body) = state.withLock { state in
      (state.statuses.isEmpty ? 200 : state.statuses.removeFirst(), state.body)
    }
    guard status > 0 else { return .failure(NetworkError.networkUnavailable) }
    return .success(
      URLSessionHttpResponse(
        request: request, status: status, headers: [:], body: Data(body.utf8), httpURLResponse: nil))
  }

  func close() {}
}

/// A registered device over a storage of the test's.
struct RegisteredDevice {
  let server: ScriptedServer
  let storage: any PushStorage
  let clock: ManualDate
  let client: PushClient
  let credential: PushCredential

  init(
    _ storage: any PushStorage = MemoryPushStorage(), server: ScriptedServer? = nil, policies: String? = nil,
    _ configure: (PushConfiguration) -> Void = { _ in }
  ) async throws {
    let server = try server ?? ScriptedServer()
    self.server = server
    self.storage = storage
    clock = ManualDate(Date())
    client = try await makeClient(storage, clock: clock) { config in
      config.httpClient = server
      configure(config)
    }
    credential = try await client.addCredentialFromUri(server.uri(policies: policies))
  }

  /// Answers that were sent.
  var answers: [ScriptedServer.Asked] { server.asked.filter { $0.action == "authenticate" } }

  func receive(
    _ type: PushMessageType = .default, ttl: Int = 120, sentAt: Date? = nil, numbers: [Int] = [],
    codeLength: Int? = nil
  ) async throws -> PushNotification {
    let data = try await server.message(
      to: credential.id, type: type, ttl: ttl, sentAt: sentAt, numbers: numbers, codeLength: codeLength)
    guard let notification = try await client.processNotification(messageData: data) else {
      throw StandIn.Failure(text: "not processed")
    }
    return notification
  }
}

/// A policy that a test switches.
final class SwitchedPolicy: MfaPolicy {
  let name: String
  private let isMet = Locked(true)
  private let meanwhile = Locked<(@Sendable () async -> Void)?>(nil)

  init(_ name: String = "deviceTampering") { self.name = name }

  func set(_ value: Bool) { isMet.withLock { $0 = value } }

  /// Runs `body` during the next evaluation.
  func interrupt(_ body: @escaping @Sendable () async -> Void) { meanwhile.withLock { $0 = body } }

  func evaluate(data: [String: Any]?) async -> Bool {
    let body = meanwhile.withLock { meanwhile in
      defer { meanwhile = nil }
      return meanwhile
    }
    await body?()
    return isMet.withLock { $0 }
  }
}

/// The case of a ``PushError``, to compare by.
func name(of error: any Error) -> String {
  guard let error = error as? PushError else { return "\(type(of: error))" }
  return Mirror(reflecting: error).children.first?.label ?? "\(error)"
}

/// Expects `body` to throw the case of that name.
func expect<Value>(
  _ expected: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Value
) async {
  do {
    _ = try await body()
    Issue.record("nothing was thrown, not \(expected)", sourceLocation: sourceLocation)
  } catch {
    #expect(name(of: error) == expected, sourceLocation: sourceLocation)
  }
}
