import BindingFormats
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import JourneyStorePostgres
import PostgresFixtures
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import ServerHTTP

@Suite("Two servers on one PostgreSQL") struct PostgresClusterTests {
  private func withTwo(
    _ body: @Sendable (_ one: LocalServer, _ two: LocalServer) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder.make()
    defer { withExtendedLifetime(folder) {} }
    let (clock, log) = (ManualDate(LocalServer.morning), Locked<[String]>([]))
    var configuration = LocalServer.configuration(clock: clock, log: log)
    configuration.dataDirectory = folder.url
    configuration.database = try await PostgresServer.shared.createDatabase()
    let one = try await SealringServer.make(configuration)
    let two = try await SealringServer.make(configuration)
    try await one.createUser("ada", password: Secret("ada-password"), realm: "alpha")
    try await one.application().test(.router) { client in
      let first = LocalServer(server: one, client: client, clock: clock, log: log)
      try await two.application().test(.router) { client in
        try await body(first, LocalServer(server: two, client: client, clock: clock, log: log))
      }
    }
    try await one.close()
    try await two.close()
  }

  @Test func `a journey that one began goes on at the other, once, and its session is good at both`()
    async throws
  {
    try await withTwo { one, two in
      let step = try await one.start()
      let reply = LocalServer.reply(to: step, "ada", "ada-password")
      let answer = try await two.call(.post, "\(LocalServer.alpha)/authenticate", body: reply)
      let token = try #require(answer["tokenId"]?.stringValue)
      #expect(try await one.call(.post, "\(LocalServer.alpha)/authenticate", body: reply).status == 401)
      let user = "\(LocalServer.alpha)/users/ada"
      #expect(try await one.call(.get, user, token: token).status == 200)
      #expect(try await two.call(.get, user, token: token).status == 200)
      _ = try await one.call(.post, "\(LocalServer.alpha)/sessions?_action=logout", token: token, body: [:])
      #expect(try await two.call(.get, user, token: token).status == 401)
    }
  }

  @Test func `of sixty-four answers to one step at two servers, one is taken`() async throws {
    try await withTwo { one, two in
      let reply = LocalServer.reply(to: try await one.start(), "ada", "ada-password")
      let tokens = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<64 {
          group.addTask {
            let server = number.isMultiple(of: 2) ? one : two
            return try await server.call(.post, "\(LocalServer.alpha)/authenticate", body: reply)["tokenId"]
              != nil
          }
        }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(tokens == 1)
    }
  }

  @Test func `however many guess at once at two servers, five are judged, and then nobody gets in`()
    async throws
  {
    try await withTwo { one, two in
      var replies: [JSONValue] = []
      for number in 0..<32 {
        replies.append(LocalServer.reply(to: try await one.start(), "ada", "wrong \(number)"))
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, reply) in replies.enumerated() {
          group.addTask {
            let server = number.isMultiple(of: 2) ? one : two
            let answer = try await server.call(.post, "\(LocalServer.alpha)/authenticate", body: reply)
            #expect(answer.status == 401)
          }
        }
        try await group.waitForAll()
      }
      let state = try await two.store.lockout(of: UniversalID(username: "ada", realm: "alpha"))
      #expect(state.lockCount == 1)
      #expect(state.consecutiveFailures == 0)
      let step = try await two.start()
      let right = LocalServer.reply(to: step, "ada", "ada-password")
      #expect(try await two.call(.post, "\(LocalServer.alpha)/authenticate", body: right).status == 401)
    }
  }

  /// `docs/scale.md` counts with these numbers.
  @Test func `a sign-in by password asks the database three times, by page or by headers`() async throws {
    try await withTwo { one, _ in
      let store = try #require(one.store as? PostgresStore)
      _ = try await one.signIn("ada")
      #expect(try await Self.roundTrips(store) { _ = try await one.signIn("ada") } == 3)
      let byHeaders = try await Self.roundTrips(store) {
        let answer = try await one.call(
          .post, "\(LocalServer.alpha)/authenticate", body: [:],
          headers: ["X-OpenAM-Username": "ada", "X-OpenAM-Password": "ada-password"])
        #expect(answer["tokenId"] != nil)
      }
      #expect(byHeaders == 3)
    }
  }

  @Test func `that an answer has ended its run, every server knows`() async throws {
    try await withTwo { one, other in
      for password in ["ada-password", "wrong"] {
        let body = LocalServer.reply(to: try await one.start(), "ada", password)
        _ = try await one.call(.post, "\(LocalServer.alpha)/authenticate", body: body)
        let again = try await other.call(.post, "\(LocalServer.alpha)/authenticate", body: body)
        #expect(again.json == AuthenticateTests.ended)
      }
    }
  }

  @Test func `a wrong password asks the database five times`() async throws {
    try await withTwo { one, _ in
      let store = try #require(one.store as? PostgresStore)
      var counts: [Int] = []
      for _ in 1...3 {
        _ = try await one.signIn("ada")
        let reply = LocalServer.reply(to: try await one.start(), "ada", "wrong")
        let before = store.roundTrips
        #expect(try await one.call(.post, "\(LocalServer.alpha)/authenticate", body: reply).status == 401)
        counts.append(store.roundTrips - before)
      }
      #expect(counts.min() == 5, "\(counts)")
    }
  }

  /// What `act` alone asks: the fewest of three, because the server looks after its realms meanwhile, on a busy machine also in between.
  private static func roundTrips(_ store: PostgresStore, of act: () async throws -> Void) async throws -> Int
  {
    var counts: [Int] = []
    for _ in 1...3 {
      let before = store.roundTrips
      try await act()
      counts.append(store.roundTrips - before)
    }
    return counts.min() ?? 0
  }
}
