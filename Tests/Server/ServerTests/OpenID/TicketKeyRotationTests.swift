import Bytes
import CommonFixtures
import Foundation
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import OpenIDProvider
@testable import Operations
@testable import ServerHTTP

@Suite("Codes and tokens when the server key is rotated") struct TicketKeyRotationTests {
  /// Puts a new server key into use, and returns the one before.
  private func rotate(_ server: SealringServer, _ folder: URL, _ steps: ServerKeyRotation) async throws
    -> String
  {
    let old = try #require(server.store.serverKey.currentID)
    let new = try server.store.serverKey.makeNext(in: StoreDirectory(folder), randomBytes: SystemRandom.bytes)
    try await steps.announce(new)
    try await server.secrets.refresh()
    try await steps.activate(new)
    try await server.secrets.refresh()
    _ = try await server.store.encryptAgain()
    return old
  }

  @Test func `tokens outlive a rotation, and none that a stolen key sealed outlives its retirement`()
    async throws
  {
    let folder = try TemporaryFolder.make()
    defer { withExtendedLifetime(folder) {} }
    try await OpenIDFixture.run(configure: { $0.dataDirectory = folder.url }) { world in
      let server = world.local.server
      let steps = ServerKeyRotation(server.store, clock: { world.local.clock.now })
      let session = try await world.local.signIn("ada")
      let (first, second) = (
        try await world.tokens(session: session), try await world.tokens(session: session)
      )
      let late = try await world.code(session: session)
      let old = try await rotate(server, folder.url, steps)

      let renewed = try await world.refresh(try #require(first["refresh_token"]?.stringValue))
      #expect(renewed.status == 200, "\(renewed.text)")
      try await steps.retire(old, isStolen: true)
      try await server.secrets.refresh()

      #expect(
        try await world.refresh(try #require(second["refresh_token"]?.stringValue)).error == "invalid_grant")
      #expect(try await world.redeem(late).error == "invalid_grant")
      // What the new key sealed is good.
      #expect(try await world.refresh(try #require(renewed["refresh_token"])).status == 200)
      #expect(try await world.redeem(try await world.code(session: session)).status == 200)
    }
  }

  @Test func `a server without the key in use says that it cannot answer, not that a good token is bad`()
    async throws
  {
    let (folder, elsewhere) = (try TemporaryFolder.make(), try TemporaryFolder.make())
    defer { withExtendedLifetime((folder, elsewhere)) {} }
    try await OpenIDFixture.run(configure: { $0.dataDirectory = folder.url }) { world in
      let server = world.local.server
      let tokens = try await world.tokens(session: try await world.local.signIn("ada"))
      let other = try SQLiteStore(directory: folder.url)
      let steps = ServerKeyRotation(other, clock: { world.local.clock.now })
      let new = try other.serverKey.makeNext(
        in: StoreDirectory(elsewhere.url), randomBytes: SystemRandom.bytes)
      try await steps.announce(new)
      try await other.forgetKeys(of: server.secrets.server)
      try await steps.activate(new)
      try await server.secrets.refresh()
      #expect(try await world.refresh(try #require(tokens["refresh_token"]?.stringValue)).status == 503)
      try await other.close()
    }
  }
}
