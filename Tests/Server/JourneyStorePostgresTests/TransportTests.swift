import CommonFixtures
import Foundation
import JourneyStore
import JourneyStorePostgres
import PostgresFixtures
import Testing

@Suite("PostgreSQL over TLS") struct TransportTests {
  @Test func `verify-full takes the right name under the right authority, and nothing else`() async throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let ours = try await TestAuthority(in: folder.url.appending(path: "ours"))
    let theirs = try await TestAuthority(in: folder.url.appending(path: "theirs"))
    try await PostgresServer.run(tls: ours.identity(for: "db.test")) { server in
      let database = try await server.newDatabase()
      func open(_ host: String, _ authority: TestAuthority, while body: () async throws -> Void) async throws
      {
        let address =
          "postgres://postgres@\(host):\(server.port)/\(database)?hostaddr=127.0.0.1&sslmode=verify-full"
          + "&sslrootcert=\(authority.root)"
        let store = try await PostgresStore.open(address, directory: folder.url.appending(path: "store"))
        try await body()
        #expect(try await store.consume([1], until: noon))
        try await store.close()
      }
      try await open("db.test", ours) {
        // The server sees it, too.
        let encrypted =
          "SELECT count(*) > 0 AND bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
          + "WHERE application_name = 'sealring'"
        let status = try await server.psql(database, "SELECT 1 / (\(encrypted))::int")
        #expect(status == 0)
      }
      await #expect {
        try await open("other.test", ours) {}
      } throws: { error in
        "\(error)".contains("certificate is not for that host")
      }
      await #expect {
        try await open("db.test", theirs) {}
      } throws: { error in
        "\(error)".contains("certificate is not trusted")
      }
    }
  }
}
