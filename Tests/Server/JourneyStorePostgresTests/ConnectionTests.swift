import Concurrency
import Dispatch
import JourneyStore
import PostgresFixtures
import Testing

@testable import JourneyStorePostgres

@Suite("A connection to PostgreSQL") struct ConnectionTests {
  @Test func `an event that comes late, when nothing is left to read, closes nothing; the server's end does`()
    async throws
  {
    let server = try await PostgresServer.shared
    let address = try await server.createDatabase()
    let connection = try await PostgresConnection.open(
      address, patience: 60, try LibPQ(), roundTrips: Locked(0))
    let one = Statement("SELECT 1")
    _ = try await connection.run([one], prepares: true)
    // As when a look at the socket has read what the system tells of only afterwards.
    connection.queue.sync { connection.readInput() }
    #expect(connection.isUsable)
    _ = try await connection.run([one], prepares: true)

    let process = await connection.facts().process
    #expect(try await server.psql(on: address, "SELECT pg_terminate_backend(\(process), 60000)") == 0)
    // The server's process has ended, so its end of the socket has, too.
    connection.queue.sync { connection.readInput() }
    #expect(!connection.isUsable)
    await #expect(throws: PostgresError.self) { try await connection.run([one], prepares: true) }
  }

  @Test func `a connection opens also when the system tells nothing of its socket`() async throws {
    let address = try await PostgresServer.shared.createDatabase()
    let connection = try await PostgresConnection.open(
      address, patience: 60, try LibPQ(), roundTrips: Locked(0), isTold: false)
    #expect(try await connection.run([Statement("SELECT 1")], prepares: true).count == 1)
  }
}
