import CommonFixtures
import Concurrency
import EvidenceLedger
import Foundation
import HTTPTypes
import Hummingbird
import JourneyStore
import Logging
import SecurityEvents
import StrictJSON
import Testing

@testable import Operations
@testable import ServerHTTP

@Suite("Publishing checkpoints") struct CheckpointPublisherTests {
  /// A server's ledger, with what was published of it.
  private struct Scene: Sendable {
    let store: SQLiteStore
    let folder: URL
    let events = RecordedEvents()
    let clock = ManualDate(LocalServer.morning)

    var file: URL { folder.appending(path: "checkpoint.json") }

    func publisher(to target: CheckpointPublisher.Target, of data: String = "data") -> CheckpointPublisher {
      let directory = folder.appending(path: data)
      return CheckpointPublisher(
        to: target, of: { try EvidenceArchive(directory: directory) }, clock: { clock.now },
        events: SecurityEvents(sink: events, clock: { clock.now }, logger: Logger(label: "test")),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    func add(to store: SQLiteStore? = nil) async throws {
      _ = try await (store ?? self.store).addEvidence(
        EvidenceRecord(
          kind: .sign, time: 1_767_952_800_000, realm: "alpha", journey: "SignIn", nodeID: "n",
          username: "ada",
          userID: "id=ada", device: "d", key: ["kty": "EC"], jws: "a.b.c"),
        once: OnceKey(key: Array(UUID().uuidString.utf8), expiry: .distantFuture))
    }

    func published() throws -> VerifiedCheckpoint {
      try UnverifiedCheckpoint(parsing: Array(try Data(contentsOf: file))).verified()
    }

    static func run(_ body: (Scene) async throws -> Void) async throws {
      let temporary = TemporaryFolder()
      defer { withExtendedLifetime(temporary) {} }
      try FileManager.default.createDirectory(at: temporary.url, withIntermediateDirectories: true)
      let store = try SQLiteStore(directory: temporary.url.appending(path: "data"))
      try await body(Scene(store: store, folder: temporary.url))
      try await store.close()
    }
  }

  @Test func `each published checkpoint continues the one before, also after a restart`() async throws {
    try await Scene.run { scene in
      var publisher = scene.publisher(to: .file(scene.file))
      var last: VerifiedCheckpoint?
      for count in 1...4 {
        try await scene.add()
        await publisher.publish()
        let made = try scene.published()
        #expect(made.checkpoint.count == Int64(count))
        if let last { try made.requireContinuing(last) }
        last = made
        publisher = scene.publisher(to: .file(scene.file))
      }
      #expect(scene.events.of(.checkpointPublished).map(\.outcome) == Array(repeating: .success, count: 4))
    }
  }

  /// A ledger that says how often it was read from its beginning.
  private struct Counted: LedgerArchive {
    let archive: EvidenceArchive
    let wholes: Locked<Int>

    var header: EvidenceHeader { archive.header }
    func read<Value>(_ question: SQLQuestion<Value>) async throws -> Value {
      try await archive.read(question)
    }
    func walk(
      after frontier: LedgerFrontier?, at date: Date, _ visit: ([UInt8]) throws -> Void
    ) async throws -> (chain: EvidenceChain, signed: EvidenceCheckpoint) {
      if frontier == nil { wholes.withLock { $0 += 1 } }
      return try await archive.walk(after: frontier, at: date, visit)
    }
  }

  @Test func `the whole ledger is read once, also with restarts, and again when the tree is lost`()
    async throws
  {
    try await Scene.run { scene in
      let wholes = Locked(0)
      let tree = scene.folder.appending(path: "tree.json")
      var last: VerifiedCheckpoint?
      func publish(_ publisher: CheckpointPublisher? = nil) async throws -> CheckpointPublisher {
        let publisher =
          publisher
          ?? CheckpointPublisher(
            to: .file(scene.file, frontier: tree),
            of: {
              Counted(
                archive: try EvidenceArchive(directory: scene.folder.appending(path: "data")), wholes: wholes)
            },
            clock: { scene.clock.now }, events: .none,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await scene.add()
        await publisher.publish()
        let made = try scene.published()
        if let last { try made.requireContinuing(last) }
        last = made
        #expect(await publisher.arrived == made.checkpoint.count)
        return publisher
      }
      let first = try await publish()
      for _ in 1...3 { _ = try await publish(first) }
      for _ in 1...3 { _ = try await publish() }
      #expect(wholes.withLock { $0 } == 1 && last?.checkpoint.count == 7)
      try Data("{}".utf8).write(to: tree)
      _ = try await publish()
      #expect(wholes.withLock { $0 } == 2 && last?.checkpoint.count == 8)
      _ = try await publish()
      #expect(wholes.withLock { $0 } == 2 && last?.checkpoint.count == 9)
    }
  }

  @Test func `a ledger that does not continue what was published is not published any more`() async throws {
    try await Scene.run { scene in
      for _ in 1...3 { try await scene.add() }
      await scene.publisher(to: .file(scene.file)).publish()
      let kept = try Data(contentsOf: scene.file)
      // Another ledger in its place, and a file that holds something else.
      let other = try SQLiteStore(directory: scene.folder.appending(path: "other"))
      for _ in 1...5 { try await scene.add(to: other) }
      let lying = scene.publisher(to: .file(scene.file), of: "other")
      await lying.publish()
      #expect(await lying.arrived == 0)
      #expect(try Data(contentsOf: scene.file) == kept)
      try Data("important".utf8).write(to: scene.file)
      await scene.publisher(to: .file(scene.file)).publish()
      #expect(try Data(contentsOf: scene.file) == Data("important".utf8))
      #expect(scene.events.of(.checkpointPublished).map(\.outcome) == [.success, .failure, .failure])
      try await other.close()
    }
  }

  @Test func `what does not arrive is sent again with all that came since`() async throws {
    try await Scene.run { scene in
      let recipient = Recipient()
      try await recipient.run { address in
        let token = scene.folder.appending(path: "token")
        try Data("secret-token\n".utf8).write(to: token)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token.path)
        let upload = try CheckpointUpload(#require(URL(string: address + "?key=hidden")), tokenFile: token)
        let memory = scene.folder.appending(path: "memory")
        for status in [201, 500, 302, 200] {
          recipient.status.withLock { $0 = status }
          try await scene.add()
          // Another process each time.
          await scene.publisher(to: .address(upload, memory: memory)).publish()
        }
        let received = recipient.received.withLock { $0 }
        #expect(received.count == 4)
        #expect(received.allSatisfy { $0.authorization == "Bearer secret-token" && $0.method == .put })
        let checkpoints = try received.map { try UnverifiedCheckpoint(parsing: $0.body).verified() }
        try checkpoints[3].requireContinuing(checkpoints[0])
        #expect(checkpoints[3].checkpoint.count == 4)
        let events = scene.events.of(.checkpointPublished)
        #expect(events.map(\.outcome) == [.success, .failure, .failure, .success])
        let text = events.map(\.line).joined()
        #expect(!text.contains("secret") && !text.contains("hidden"))
        // Without a token nothing is sent.
        try Data("two words".utf8).write(to: token)
        await scene.publisher(to: .address(upload, memory: memory)).publish()
        #expect(recipient.received.withLock { $0.count } == 4)
      }
    }
  }

  @Test(arguments: [
    "http://example.com/x", "https://user:password@example.com/x", "ftp://example.com/x", "https:///x", "x",
  ])
  func `an address that would give the token away is refused`(address: String) throws {
    let url = try #require(URL(string: address))
    #expect(throws: ServerSetupError.self) { try CheckpointUpload(url, tokenFile: nil) }
  }

  /// Somebody who keeps checkpoints.
  private final class Recipient: Sendable {
    struct Request: Sendable {
      let method: HTTPRequest.Method
      let authorization: String?
      let body: [UInt8]
    }

    let received = Locked<[Request]>([])
    let status = Locked(200)

    func run(_ body: @escaping (String) async throws -> Void) async throws {
      let (ports, listening) = AsyncStream.makeStream(of: Int.self)
      let application = Application(
        responder: CallbackResponder {
          [received, status] (request: Hummingbird.Request, _: BasicRequestContext) in
          let body = try await request.body.collect(upTo: 1 << 20)
          received.withLock {
            $0.append(
              Request(
                method: request.method, authorization: request.headers[.authorization],
                body: Array(body.readableBytesView)))
          }
          return Response(
            status: .init(code: status.withLock { $0 }), headers: [.location: "http://127.0.0.1:1/elsewhere"])
        },
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in listening.yield(channel.localAddress?.port ?? 0) },
        logger: Logger(label: "recipient") { _ in SwiftLogNoOpLogHandler() })
      let running = Task { try await application.run() }
      defer { running.cancel() }
      for await port in ports {
        try await body("http://127.0.0.1:\(port)/checkpoints")
        break
      }
    }
  }
}
