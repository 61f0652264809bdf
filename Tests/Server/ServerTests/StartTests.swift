import BindingFormats
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyEngine
import JourneyStore
import Logging
import NIOCore
import PasswordHashing
import ServiceLifecycle
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

@Suite("Starting and stopping") struct StartTests {
  @Test func `the first start makes up the administrator's password, and only the first`() async throws {
    let folder = try TemporaryFolder.make()
    var configuration = LocalServer.configuration()
    configuration.dataDirectory = folder.url
    configuration.administratorPassword = nil
    let first = try await SealringServer.make(configuration)
    let password = try #require(first.generatedAdministratorPassword)
    #expect(password.reveal().utf8.count == 24)
    let user = try #require(try await first.store.user(named: "amAdmin", realm: "root"))
    #expect(user.isAdministrator)
    try await first.close()
    let second = try await SealringServer.make(configuration)
    #expect(second.generatedAdministratorPassword == nil)
    try await second.close()
  }

  @Test func `an administrator who was deleted does not come back while there is another`() async throws {
    let folder = try TemporaryFolder.make()
    var configuration = LocalServer.configuration()
    configuration.dataDirectory = folder.url
    let first = try await SealringServer.make(configuration)
    try await first.store.createUser(
      UserRecord(
        realm: "root", username: "bea", isAdministrator: true, createdAt: configuration.clock()))
    _ = try await first.store.deleteUser(UniversalID(username: "amAdmin", realm: "root"))
    try await first.close()
    let second = try await SealringServer.make(configuration)
    #expect(try await second.store.user(named: "amAdmin", realm: "root") == nil)
    guard case .deleted = second.report(port: 1).administrator else { throw CancellationError() }
    try await second.close()
  }

  @Test func `of servers that start at once one makes the administrator, whose password the others have not`()
    async throws
  {
    let store = try SQLiteStore.inMemory()
    let states = try await withThrowingTaskGroup(of: AdministratorState.self) { group in
      for number in 1...4 {
        var configuration = LocalServer.configuration()
        configuration.administratorPassword = Secret("quiet meadow \(number)")
        group.addTask { [configuration] in
          try await Administrator.create(
            in: store, passwords: PasswordHasher(cost: configuration.passwordCost),
            configuration: configuration)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(states.count { if case .created(madeUp: nil) = $0 { true } else { false } } == 1)
    #expect(states.count { if case .present(hasConfiguredPassword: false) = $0 { true } else { false } } == 3)
    try await store.close()
  }

  @Test func `a given administrator password is not shown`() async throws {
    let server = try await SealringServer.make(LocalServer.configuration())
    #expect(server.generatedAdministratorPassword == nil)
    try await server.close()
  }

  @Test func `sessions and open journeys survive a restart`() async throws {
    let folder = try TemporaryFolder.make()
    let clock = ManualDate(LocalServer.morning)
    var configuration = LocalServer.configuration(clock: clock)
    configuration.dataDirectory = folder.url
    let (token, step) = try await Self.withServer(configuration, clock: clock) { server in
      (try await server.signInAdministrator(), try await server.start(realm: LocalServer.root))
    }
    let (valid, success) = try await Self.withServer(configuration, clock: clock) { server in
      (
        try await server.call(
          .post, "\(LocalServer.root)/sessions?_action=validate", token: token, body: [:]),
        try await server.call(
          .post, "\(LocalServer.root)/authenticate",
          body: LocalServer.reply(to: step, "amAdmin", LocalServer.administratorPassword))
      )
    }
    #expect(valid["uid"] == "amAdmin")
    #expect(success["tokenId"]?.stringValue != nil)
  }

  private static func withServer<Value: Sendable>(
    _ configuration: ServerConfiguration, clock: ManualDate,
    _ body: @Sendable (LocalServer) async throws -> Value
  ) async throws -> Value {
    let server = try await SealringServer.make(configuration)
    let value = try await server.application().test(.router) { client in
      try await body(LocalServer(server: server, client: client, clock: clock, log: Locked([])))
    }
    try await server.close()
    return value
  }

  @Test func `a journey file that does not load is reported with node and type, and the others load`()
    async throws
  {
    let folder = try TemporaryFolder.make()
    try folder.write(TestJourneys.wrongProperty.serialized, to: "alpha/A.journey.json")
    try folder.write(Self.broken("Entry").serialized, to: "alpha/Entry.journey.json")
    try folder.write(TestJourneys.unknownType.serialized, to: "alpha/Broken.journey.json")
    try folder.write(TestJourneys.trusting.serialized, to: "alpha/B.journey.json")
    try folder.write(Array("not json".utf8), to: "alpha/C.journey.json")
    try folder.write(Array("ignored".utf8), to: "alpha/notes.txt")
    try folder.write(TestJourneys.trusting.serialized, to: "beta/B.journey.json")
    let log = Locked<[String]>([])
    var configuration = LocalServer.configuration(log: log)
    configuration.journeysDirectory = folder.url
    let server = try await SealringServer.make(configuration)
    #expect(server.catalog.summaries(realm: "alpha").contains { $0.name == "Trusting" })
    #expect(!server.catalog.summaries(realm: "alpha").contains { $0.name == "Entry" })
    // A node that cannot be made or that nobody knows stops the journey when it gets there, not the file.
    #expect(server.catalog.summaries(realm: "alpha").contains { $0.name == "Wrong" })
    #expect(server.catalog.summaries(realm: "alpha").contains { $0.name == "Broken" })
    let lines = log.withLock { $0 }
    #expect(
      lines.contains {
        $0.hasPrefix("warning") && $0.contains("node node") && $0.contains("authLevelIncrement")
      })
    #expect(lines.contains { $0.hasPrefix("error") && $0.contains("Entry") && $0.contains("entryNodeId") })
    #expect(lines.contains { $0.hasPrefix("warning") && $0.contains("NoSuchNode") })
    #expect(lines.contains { $0.hasPrefix("error") && $0.contains("C.journey.json") })
    #expect(lines.contains { $0.hasPrefix("warning") && $0.contains("beta") })
    try await server.close()
  }

  @Test func `a folder of journeys that cannot be read stops the start and says which`() async throws {
    var configuration = LocalServer.configuration()
    configuration.journeysDirectory = URL(fileURLWithPath: "/nowhere/at/all")
    let error = await #expect(throws: ServerSetupError.self) {
      _ = try await SealringServer.make(configuration)
    }
    #expect(error?.description.contains("/nowhere/at/all") == true)
  }

  private static func broken(_ name: String) -> JSONObject {
    [
      "tree": [
        "_id": .string(name), "entryNodeId": "gone",
        "nodes": ["x": ["nodeType": "NoSuchNode", "displayName": "X", "connections": ["a": "b"]]],
      ]
    ]
  }

  @Test func `a journey that does not load is not replaced by a bundled one that asks for less`() async throws
  {
    let folder = try TemporaryFolder.make()
    try folder.write(Self.broken("Login").serialized, to: "alpha/Login.journey.json")
    try folder.write(Array("{".utf8), to: "alpha/SignIn.journey.json")
    try folder.write(Array("{}".utf8), to: "Elsewhere.journey.json")
    let log = Locked<[String]>([])
    var configuration = LocalServer.configuration(log: log)
    configuration.journeysDirectory = folder.url
    let server = try await SealringServer.make(configuration)
    let names = server.catalog.summaries(realm: "alpha").map(\.name)
    #expect(!names.contains("Login") && !names.contains("SignIn") && names.contains("BindDevice"))
    #expect(server.catalog.summaries(realm: "root").map(\.name) == ["Login"])
    let report = server.report(port: 8080)
    #expect(report.unavailable.map(\.name) == ["Login", "SignIn"])
    #expect(report.unavailable.first?.reason.contains("starts at gone") == true)
    #expect(report.realms.last?.own.isEmpty == true)
    #expect(log.withLock { $0 }.contains { $0.hasPrefix("warning") && $0.contains("Elsewhere.journey.json") })
    try await server.close()
  }

  @Test func `with strict journeys, one that does not load stops the start and is named`() async throws {
    let folder = try TemporaryFolder.make()
    try folder.write(Self.broken("Login").serialized, to: "alpha/Login.journey.json")
    var configuration = LocalServer.configuration()
    configuration.journeysDirectory = folder.url
    configuration.requiresAllJourneys = true
    let error = await #expect(throws: ServerSetupError.self) {
      _ = try await SealringServer.make(configuration)
    }
    #expect(error?.description.contains("alpha/Login") == true)
  }

  @Test(arguments: [("Wrong", true), ("Trusting", false)])
  func `where deviations are refused, a node that fails stops the start and is named`(
    name: String, isRefused: Bool
  ) async throws {
    let folder = try TemporaryFolder.make()
    let file = isRefused ? TestJourneys.wrongProperty : TestJourneys.trusting
    try folder.write(file.serialized, to: "alpha/A.journey.json")
    var configuration = LocalServer.configuration()
    configuration.journeysDirectory = folder.url
    configuration.requiresAllJourneys = true
    try await SealringServer.make(configuration).close()
    configuration.refusesJourneyDeviations = true
    guard isRefused else { return try await SealringServer.make(configuration).close() }
    let error = await #expect(throws: ServerSetupError.self) {
      _ = try await SealringServer.make(configuration)
    }
    #expect(error?.description.contains("authLevelIncrement") == true)
  }

  @Test func `the report says where the page is, and that another administrator's password was given`()
    async throws
  {
    let folder = try TemporaryFolder.make()
    var configuration = LocalServer.configuration()
    configuration.dataDirectory = folder.url
    let first = try await SealringServer.make(configuration)
    let report = first.report(port: 4711)
    #expect(report.address == "http://127.0.0.1:4711/am")
    #expect(report.page == "http://localhost:4711/am/XUI/?realm=/alpha")
    #expect(report.administrationPage == "http://localhost:4711/am/admin/")
    guard case .created(madeUp: nil) = report.administrator else { throw CancellationError() }
    try await first.close()
    for (password, isOwn) in [(LocalServer.administratorPassword, true), ("another one 2026", false)] {
      configuration.administratorPassword = Secret(password)
      let server = try await SealringServer.make(configuration)
      guard case .present(let hasIt) = server.report(port: 1).administrator else { throw CancellationError() }
      #expect(hasIt == isOwn)
      try await server.close()
    }
  }

  @Test func `the root page says what is there on this machine, and nothing of it to others`() async throws {
    for (url, lists) in [(nil, true), ("https://id.example.com/am", false)] {
      try await LocalServer.run(.router, { $0.publicURL = url }) { server in
        for path in ["/", "/am", "/am/"] {
          try await server.client.execute(uri: path, method: .get) { response in
            let page = String(buffer: response.body)
            #expect(response.status == .ok && page.contains("XUI/?realm=%2Falpha\""))
            #expect(page.contains("service=TwoSteps") == lists)
            #expect(page.contains("version") == lists && page.contains("admin/") == lists)
          }
        }
      }
    }
  }

  @Test func `what has expired is removed again and again until shutdown, whatever fails`() async throws {
    let store = try SQLiteStore.inMemory()
    let clock = ManualDate(LocalServer.morning)
    _ = try await store.consume([1], until: clock.now.addingTimeInterval(10))
    let rounds = Locked(0)
    let timer = ManualClock()
    let service = RepeatedTask(
      description: "expiry", interval: .seconds(60), timer: timer, logger: Logger(label: "test"),
      failure: "failed"
    ) {
      clock.advance(by: 3600)
      try await store.removeExpired(now: clock.now)
      rounds.withLock { $0 += 1 }
      // The next round comes all the same.
      throw CancellationError()
    }
    let running = Task { try await service.run() }
    defer { running.cancel() }
    for round in 0..<3 {
      try await eventually("it sleeps after \(round) rounds") { timer.sleeperCount == 1 }
      #expect(rounds.withLock { $0 } == round)
      timer.advance(by: .seconds(60))
    }
    try await eventually("it sleeps after the last round") { timer.sleeperCount == 1 }
    #expect(rounds.withLock { $0 } == 3)
    running.cancel()
    try await running.value
    #expect(try await store.consume([1], until: clock.now.addingTimeInterval(10)))
    try await store.close()
  }
}

@Suite("Over a socket") struct LiveTests {
  @Test func `a whole sign-in, with the universal id as it is in the path`() async throws {
    try await LocalServer.run(.live) { server in
      let token = try await server.signIn("ada")
      let path =
        "\(LocalServer.alpha)/users/id=ada,ou=user,o=alpha,ou=services,ou=am-config/devices/2fa/binding"
      #expect(try await server.call(.get, path + "?_queryFilter=true", token: token)["resultCount"] == 0)
    }
  }

  @Test func `after a body that is too long, and not much longer, the same connection goes on`() async throws
  {
    try await LocalServer.run(.live) { server in
      let bytes = [UInt8](repeating: UInt8(ascii: "["), count: 900 << 10)
      let answer = try await server.send(.post, "\(LocalServer.alpha)/authenticate", bytes: bytes)
      #expect(answer.status == 413)
      #expect(try await server.start().status == 200)
    }
  }

  @Test func `a graceful shutdown ends run() without an error and closes the store`() async throws {
    let server = try await SealringServer.make(LocalServer.configuration())
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let group = ServiceGroup(
      services: [ServerService(server: server, continuation: continuation)], logger: Logger(label: "test"))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      let port = await ports.first { _ in true }
      #expect((port ?? 0) > 0)
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
    await #expect(throws: StoreError.self) { try await server.store.user(named: "x", realm: "root") }
  }

  @Test func `cancelling run() ends it without an error`() async throws {
    let server = try await SealringServer.make(LocalServer.configuration())
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let task = Task { try await server.run { continuation.yield($0) } }
    _ = await ports.first { _ in true }
    task.cancel()
    try await task.value
  }

  @Test func `a port in use is an error`() async throws {
    let first = try await SealringServer.make(LocalServer.configuration())
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let task = Task { try await first.run { continuation.yield($0) } }
    var configuration = LocalServer.configuration()
    configuration.port = await ports.first { _ in true } ?? 0
    let second = try await SealringServer.make(configuration)
    await #expect(throws: (any Error).self) { try await second.run { _ in } }
    task.cancel()
    try await task.value
  }

  private struct ServerService: Service {
    let server: SealringServer
    let continuation: AsyncStream<Int>.Continuation

    func run() async throws { try await server.run { continuation.yield($0) } }
  }
}
