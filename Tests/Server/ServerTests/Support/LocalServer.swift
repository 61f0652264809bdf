import Accounts
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JourneyNodes
import JourneyStore
import Logging
import NIOCore
import PasswordHashing
import StrictJSON
import Testing

@testable import Assembly
@testable import ServerHTTP

/// A server in memory with the users of the tests, and a client that speaks to it.
struct LocalServer: Sendable {
  let server: SealringServer
  let client: any TestClientProtocol
  let clock: ManualDate
  let log: Locked<[String]>

  /// The moment at which every test begins: 2026-01-09 10:00 UTC.
  static let morning = Date(timeIntervalSince1970: 1_767_952_800)
  static let administratorPassword = "correct horse"

  var store: any ServerStore { server.store }

  static func configuration(
    clock: ManualDate = ManualDate(LocalServer.morning), log: Locked<[String]> = Locked([])
  ) -> ServerConfiguration {
    var configuration = ServerConfiguration()
    configuration.port = 0
    // Most tests are not about it, and many have a public address.
    configuration.factorChanges.standard = .any
    configuration.administratorPassword = Secret(administratorPassword)
    configuration.passwordCost = Argon2Cost(memoryKiB: 8, iterations: 1)
    configuration.clock = { clock.now }
    configuration.logger = Logger(label: "test") { _ in LogRecorder(lines: log) }
    return configuration
  }

  /// Runs `body` with a server that has `ada`, `bob` and the inactive `zoe` in realm alpha.
  static func run(
    _ setup: TestingSetup = .router, _ configure: (inout ServerConfiguration) -> Void = { _ in },
    body: @Sendable (LocalServer) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder.make()
    for realm in ["root", "alpha"] {
      for journey in [TestJourneys.login, TestJourneys.twoSteps, TestJourneys.trusting, TestJourneys.nobody] {
        let name = journey["tree"]?["_id"]?.stringValue ?? ""
        try folder.write(journey.serialized, to: "\(realm)/\(name).journey.json")
      }
    }
    let clock = ManualDate(LocalServer.morning)
    let log = Locked<[String]>([])
    var configuration = configuration(clock: clock, log: log)
    configuration.journeysDirectory = folder.url
    configure(&configuration)
    let server = try await SealringServer.make(configuration)
    let hasher = PasswordHasher(cost: configuration.passwordCost)
    for (name, active) in [("ada", true), ("bob", true), ("zoe", false)] {
      try await server.store.createUser(
        UserRecord(
          realm: "alpha", username: name, passwordHash: try await hasher.hash("\(name)-password"),
          isActive: active, mail: ["\(name)@example.com"],
          // Long before anything that tests say happened.
          createdAt: clock.now.addingTimeInterval(-40 * 86_400)))
    }
    try await server.application().test(setup) { client in
      try await body(LocalServer(server: server, client: client, clock: clock, log: log))
    }
    try await server.close()
  }
}

/// An answer of the server.
struct Answer: Sendable {
  let status: Int
  let headers: HTTPFields
  let json: JSONValue

  init(_ response: TestResponse) {
    status = response.status.code
    headers = response.headers
    json = (try? JSONValue(parsing: Array(buffer: response.body))) ?? .null
  }

  subscript(name: String) -> JSONValue? { json[name] }
  var message: String? { json["message"]?.stringValue }
}

extension LocalServer {
  static let alpha = "/am/json/realms/root/realms/alpha"
  static let root = "/am/json/realms/root"

  /// Sends `body` as JSON, with `token` in the header named like the cookie.
  func call(
    _ method: HTTPRequest.Method, _ path: String, token: String? = nil, body: JSONValue? = nil,
    headers: [String: String] = [:]
  ) async throws -> Answer {
    var fields = HTTPFields()
    if body != nil { fields[.contentType] = "application/json" }
    for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
    if let token { fields[try #require(HTTPField.Name("iPlanetDirectoryPro"))] = token }
    return Answer(
      try await client.executeRequest(
        uri: path, method: method, headers: fields, body: body.map { ByteBuffer(bytes: $0.serialized) }))
  }

  /// Sends bytes as they are.
  func send(
    _ method: HTTPRequest.Method, _ path: String, bytes: [UInt8], contentType: String? = "application/json"
  ) async throws -> Answer {
    var fields = HTTPFields()
    fields[.contentType] = contentType
    return Answer(
      try await client.executeRequest(
        uri: path, method: method, headers: fields, body: ByteBuffer(bytes: bytes)))
  }

  func start(_ journey: String = "Login", realm: String = alpha, query: String = "") async throws -> Answer {
    try await call(
      .post, "\(realm)/authenticate?authIndexType=service&authIndexValue=\(journey)\(query)", body: [:])
  }

  /// The body that answers a step with `texts`, one for each callback.
  static func reply(to step: Answer, _ texts: String...) -> JSONValue {
    let callbacks = (step["callbacks"]?.arrayValue ?? []).enumerated().map { index, callback in
      var object = callback.objectValue ?? JSONObject()
      object["input"] = [["name": .string("IDToken\(index + 1)"), "value": .string(texts[index])]]
      return JSONValue.object(object)
    }
    return ["authId": step["authId"] ?? .null, "callbacks": .array(callbacks)]
  }

  func signIn(_ name: String, password: String? = nil, realm: String = alpha) async throws -> String {
    let step = try await start(realm: realm)
    let answer = try await call(
      .post, "\(realm)/authenticate", body: Self.reply(to: step, name, password ?? "\(name)-password"))
    return try #require(answer["tokenId"]?.stringValue)
  }

  func signInAdministrator() async throws -> String {
    try await signIn("amAdmin", password: Self.administratorPassword, realm: Self.root)
  }
}
