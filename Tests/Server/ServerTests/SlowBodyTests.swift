import Accounts
import BindingFormats
import Concurrency
import Foundation
import HTTPTypes
import Hummingbird
import JourneyEngine
import JourneyNodes
import JourneyStore
import Logging
import NIOCore
import PasswordHashing
import StrictJSON
import Testing

@testable import Assembly
@testable import RestAPI
@testable import ServerHTTP

/// A client decides when its body arrives; meanwhile others change what it is about.
@Suite("Bodies that arrive late") struct SlowBodyTests {
  /// The parts of a server that answer for `/users/ada` and her devices, without a socket.
  private struct Parts {
    let store: SQLiteStore
    let sessions: SessionAuthority
    let users: UsersEndpoint
    let hasher = PasswordHasher(cost: Argon2Cost(memoryKiB: 8, iterations: 1))
    let token: SessionToken
    let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() async throws {
      store = try SQLiteStore.inMemory()
      var configuration = ServerConfiguration()
      let now = now
      configuration.clock = { now }
      let services = NodeServices(
        store: store, passwords: Passwords(hasher: hasher), clock: { now },
        randomBytes: configuration.randomBytes)
      sessions = try configuration.makeSessions(
        store: store,
        requests: RequestLimits(configuration.limits, clock: configuration.clock),
        accounts: services.accounts)
      users = UsersEndpoint(
        sessions: sessions, passwords: hasher, check: PasswordCheck(services: services))
      try await store.createUser(
        UserRecord(
          realm: "alpha", username: "ada", passwordHash: try await hasher.hash("ada-password"),
          mail: ["ada@example.com"], createdAt: now))
      token = SessionToken(randomBytes: configuration.randomBytes)
      let record = SessionRecord(
        tokenHash: token.hash, handle: "h", realm: "alpha", username: "ada", createdAt: now,
        latestAccess: now, maximumIdle: 600, expiresAt: now + 6000, properties: [:])
      _ = try await store.openSession(NewSession(record, now: now), by: nil)
    }

    func context(_ parameters: [String: String]) -> ResourceContext {
      ResourceContext(
        realm: "alpha", parameters: parameters, connection: ClientConnection(address: nil), localPort: nil,
        logger: Logger(label: "test"))
    }

    func user() async throws -> UserRecord? { try await store.user(named: "ada", realm: "alpha") }

    func change(_ set: (inout UserChange) -> Void) async throws {
      var change = UserChange(of: try #require(await user()))
      set(&change)
      guard case .changed = try await store.updateUser(change) else { throw CancellationError() }
    }

    /// A request of ada's whose body arrives after `meanwhile`.
    func request(
      _ body: JSONObject, meanwhile: @escaping @Sendable () async throws -> Void
    ) throws -> Request {
      let parts = Locked([ByteBuffer(bytes: body.serialized)])
      let stream = AsyncThrowingStream<ByteBuffer, any Error> {
        guard let part = parts.withLock({ $0.popLast() }) else { return nil }
        try await meanwhile()
        return part
      }
      var fields = HTTPFields()
      fields[.contentType] = "application/json"
      fields[try #require(HTTPField.Name("iPlanetDirectoryPro"))] = token.text
      return Request(
        head: HTTPRequest(
          method: .put, scheme: "http", authority: "localhost", path: "/", headerFields: fields),
        body: RequestBody(asyncSequence: stream))
    }
  }

  private struct Passwords: PasswordVerifying {
    let hasher: PasswordHasher
    func verify(_ password: String, against hash: String?) async throws -> Bool {
      try await hasher.verify(password, against: hash)
    }
    func hash(_ password: String) async throws -> String { try await hasher.hash(password) }
  }

  @Test func `a late body undoes neither a deactivation nor a new password`() async throws {
    let parts = try await Parts()
    let request = try parts.request(["mail": []]) {
      try await parts.change {
        $0.isActive = false
        $0.password = .init(hash: "by the administrator")
      }
    }
    await #expect {
      try await parts.users.replace(request, in: parts.context(["user": "ada"]))
    } throws: {
      ErrorResponse(mapping: $0).status == .unauthorized
    }
    let user = try #require(await parts.user())
    #expect(!user.isActive && user.passwordHash == "by the administrator")
    #expect(user.mail == ["ada@example.com"])
  }

  @Test func `a late body does not hand a name made anew to its old owner`() async throws {
    let parts = try await Parts()
    let other = UserRecord(
      realm: "alpha", username: "ada", passwordHash: "of another person", createdAt: parts.now)
    let request = try parts.request(["mail": ["old@example.com"]]) {
      _ = try await parts.store.deleteUser(UniversalID(username: "ada", realm: "alpha"))
      try await parts.store.createUser(other)
    }
    await #expect {
      try await parts.users.replace(request, in: parts.context(["user": "ada"]))
    } throws: {
      ErrorResponse(mapping: $0).status == .unauthorized
    }
    #expect(try await parts.user() == other)
  }

  @Test func `a late body names no device of an account that has been deactivated`() async throws {
    let parts = try await Parts()
    let device = BoundDevicesTests.device("d1", of: "ada")
    _ = try await parts.store.addBoundDevice(device, limit: 0)
    let endpoint = DevicesEndpoint(
      kind: BoundDevices(devices: parts.store.boundDevices), sessions: parts.sessions)
    let request = try parts.request(["deviceName": "Mine"]) { try await parts.change { $0.isActive = false } }
    await #expect {
      try await endpoint.rename(request, in: parts.context(["user": "ada", "id": "d1"]))
    } throws: {
      ErrorResponse(mapping: $0).status == .unauthorized
    }
    #expect(
      try await parts.store.boundDevices.all(of: UniversalID(username: "ada", realm: "alpha")).map(
        \.deviceName)
        == [device.deviceName])
  }
}
