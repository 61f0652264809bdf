import BindingFormats
import Bytes
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import PostgresFixtures
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import JourneyStore
@testable import Operations
@testable import ServerHTTP

@Suite("Rotating the server key of two servers") struct KeyRotationTests {
  /// Two servers on one database of each kind, and its rotation. They share a data folder.
  ///
  /// - Parameter isSecondLeftOut: Whether the second one looks nowhere but at the first key's file.
  private func withTwo(
    isSecondLeftOut: Bool = false,
    _ body: @Sendable (_ one: LocalServer, _ two: LocalServer, _ rotation: Rotation) async throws -> Void
  ) async throws {
    for database in [nil, try await PostgresServer.shared.createDatabase()] {
      let folder = try TemporaryFolder.make()
      defer { withExtendedLifetime(folder) {} }
      let (clock, log) = (ManualDate(LocalServer.morning), Locked<[String]>([]))
      var configuration = LocalServer.configuration(clock: clock, log: log)
      configuration.dataDirectory = folder.url
      configuration.database = database
      let one = try await SealringServer.make(configuration)
      var second = configuration
      if isSecondLeftOut { second.serverKeys = ["file:\(folder.url.appending(path: "server.key").path)"] }
      let two = try await SealringServer.make(second)
      try await one.createUser("ada", password: Secret("ada-password"), realm: "alpha")
      let store = try await StoreOpening.open(configuration)
      let rotation = Rotation(
        store: store, steps: ServerKeyRotation(store, clock: { clock.now }),
        folder: StoreDirectory(folder.url),
        servers: [one, two])
      try await one.application().test(.router) { client in
        let first = LocalServer(server: one, client: client, clock: clock, log: log)
        try await two.application().test(.router) { client in
          try await body(
            first, LocalServer(server: two, client: client, clock: clock, log: log), rotation)
        }
      }
      try await store.close()
      try await one.close()
      try await two.close()
    }
  }

  /// What an operator does.
  private struct Rotation: Sendable {
    let store: any ServerStore
    let steps: ServerKeyRotation
    let folder: StoreDirectory
    let servers: [SealringServer]

    var current: String { store.serverKey.currentID ?? "" }

    /// The servers look for new keys by themselves every two seconds; nobody waits for that here.
    func look() async throws { for server in servers { try await server.secrets.refresh() } }

    func announce() async throws -> String {
      let id = try store.serverKey.makeNext(in: folder, randomBytes: SystemRandom.bytes)
      try await steps.announce(id)
      return id
    }

    func rotate() async throws {
      let id = try await announce()
      try await look()
      try await steps.activate(id)
      try await look()
      _ = try await store.encryptAgain()
    }
  }

  private func post(_ server: LocalServer, _ body: JSONValue) async throws -> Answer {
    try await server.call(.post, "\(LocalServer.alpha)/authenticate", body: body)
  }

  @Test
  func `a journey that began under the old key goes on under the new one, at either server; sessions hold`()
    async throws
  {
    try await withTwo { one, two, rotation in
      let token = try await one.signIn("ada")
      let old = rotation.current
      let steps = [try await one.start(), try await two.start(), try await one.start()]
      let replies = steps.map { LocalServer.reply(to: $0, "ada", "ada-password") }
      try await rotation.rotate()
      #expect(rotation.current != old)
      #expect(try await post(two, replies[0])["tokenId"] != nil)
      #expect(try await post(one, replies[1])["tokenId"] != nil)
      #expect(try await post(one, replies[0]).status == 401)
      try await rotation.steps.retire(old, isStolen: false)
      try await rotation.look()
      // Also after the key is retired: until the journey has expired.
      #expect(try await post(two, replies[2])["tokenId"] != nil)
      for server in [one, two] {
        #expect(try await server.call(.get, "\(LocalServer.alpha)/users/ada", token: token).status == 200)
        _ = try await server.signIn("ada")
      }
    }
  }

  @Test func `between the phases servers go on with each other's journeys, whichever has looked`()
    async throws
  {
    try await withTwo { one, two, rotation in
      let id = try await rotation.announce()
      try await rotation.look()
      try await rotation.steps.activate(id)
      try await one.server.secrets.refresh()
      // The first seals under the new key, the second still under the old one.
      for (begins, ends) in [(one, two), (two, one)] {
        let reply = LocalServer.reply(to: try await begins.start(), "ada", "ada-password")
        #expect(try await post(ends, reply)["tokenId"] != nil)
      }
    }
  }

  @Test func `a server without the new key is seen, and the key is not used`() async throws {
    try await withTwo(isSecondLeftOut: true) { one, two, rotation in
      let id = try await rotation.announce()
      try await one.server.secrets.refresh()
      let lacking = try await rotation.steps.lacking(id)
      #expect(lacking.map(\.server) == [rotation.servers[1].secrets.server])
      await #expect(throws: ServerKeyRotation.Refusal.self) { try await rotation.steps.activate(id) }
      // Somebody takes the second one for dead, and it comes back.
      try await rotation.store.forgetKeys(of: rotation.servers[1].secrets.server)
      try await rotation.steps.activate(id)
      for server in rotation.servers { try await server.secrets.refresh() }
      #expect(rotation.servers.map(\.secrets.hasCurrentKey) == [true, false])
      // A load balancer sends it nobody then.
      #expect(try await one.call(.get, "/health/ready").status == 200)
      let unready = try await two.call(.get, "/health/ready")
      #expect(unready.status == 503 && unready["reason"] == "key")
      #expect(try await two.call(.get, "/health/live").status == 200)
      _ = try await one.signIn("ada")
    }
  }

  @Test func `the time of what an old key sealed ends, and for a stolen key at once`() async throws {
    try await withTwo { one, two, rotation in
      let old = rotation.current
      let reply = LocalServer.reply(to: try await one.start(), "ada", "ada-password")
      let other = LocalServer.reply(to: try await one.start(), "ada", "ada-password")
      try await rotation.rotate()
      #expect(try await post(two, reply)["tokenId"] != nil)
      try await rotation.steps.retire(old, isStolen: true)
      try await rotation.look()
      let answer = try await post(two, other)
      #expect(answer.status == 401)
      // Nor does a start of the server bring its secret back.
      let names = try await rotation.store.rows("server_secrets", "SELECT name FROM server_secrets", []) {
        try $0.text()
      }
      #expect(!names.contains(ServerKeyRotation.Secret.journeys))

      let now = one.server.secrets.secrets(named: ServerKeyRotation.Secret.journeys, lifetime: 360)
      #expect(now.count == 1)
      try await rotation.rotate()
      #expect(one.server.secrets.secrets(named: ServerKeyRotation.Secret.journeys, lifetime: 360).count == 2)
      one.clock.advance(by: 361)
      #expect(one.server.secrets.secrets(named: ServerKeyRotation.Secret.journeys, lifetime: 360).count == 1)
    }
  }

  @Test
  func `for longer than a lease without word of the database nothing is sealed; then it is asked first`()
    async throws
  {
    try await withTwo { one, _, rotation in
      let instant = Locked(ContinuousClock.now)
      let secrets = RotatingSecrets(
        store: rotation.store, clock: { one.clock.now }, instant: { instant.withLock { $0 } },
        randomBytes: SystemRandom.bytes, logger: Logger(label: "test"))
      func count() -> Int { secrets.secrets(named: ServerKeyRotation.Secret.journeys, lifetime: 360).count }
      #expect(count() == 0)
      try await secrets.refreshIfOld()
      #expect(count() == 1)
      instant.withLock { $0 += ServerKeyLease.length - .milliseconds(1) }
      #expect(count() == 1)
      // Within the lease nobody is asked, whatever happens meanwhile.
      try await rotation.store.forgetKeys(of: secrets.server)
      try await rotation.rotate()
      try await secrets.refreshIfOld()
      #expect(count() == 1)
      instant.withLock { $0 += .milliseconds(1) }
      #expect(count() == 0)
      try await secrets.refreshIfOld()
      #expect(count() == 2)
    }
  }

  @Test func `what a server seals that has missed a stolen key's end is refused by all, and it goes on`()
    async throws
  {
    try await withTwo { one, two, rotation in
      let old = rotation.current
      let id = try await rotation.announce()
      try await rotation.look()
      // The second one stands still from here, until nobody counts on it any more.
      try await rotation.store.forgetKeys(of: rotation.servers[1].secrets.server)
      try await rotation.steps.activate(id)
      try await one.server.secrets.refresh()
      _ = try await rotation.store.encryptAgain()
      try await rotation.steps.retire(old, isStolen: true)
      try await one.server.secrets.refresh()

      let replies = try await [two.start(), two.start()].map {
        LocalServer.reply(to: $0, "ada", "ada-password")
      }
      let refused = try await post(one, replies[0])
      #expect(refused.status == 401 && refused["detail"]?["errorCode"]?.stringValue == "110")
      try await two.server.secrets.refresh()
      #expect(try await post(two, replies[1]).status == 401)
      // What the second one stored meanwhile is under the new key.
      #expect(try await rotation.store.sealedCounts()[old] == 0)
      for server in [one, two] { _ = try await server.signIn("ada") }
    }
  }

  @Test func `people sign in all the while`() async throws {
    try await withTwo { one, two, rotation in
      let isOver = Locked(false)
      try await withThrowingTaskGroup(of: Int.self) { group in
        for server in [one, two] {
          group.addTask {
            var count = 0
            repeat {
              _ = try await server.signIn("ada")
              count += 1
            } while count < 500 && !isOver.withLock { $0 }
            return count
          }
        }
        for _ in 0..<3 {
          let old = rotation.current
          try await rotation.rotate()
          try await rotation.steps.retire(old, isStolen: false)
          try await rotation.look()
        }
        isOver.withLock { $0 = true }
        for try await count in group { #expect(count > 0) }
      }
      #expect(try await rotation.store.refreshKeys().map(\.isRetired) == [true, true, true, false])
    }
  }
}
