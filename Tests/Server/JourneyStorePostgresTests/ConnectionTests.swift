import CommonFixtures
import Concurrency
import Dispatch
import Foundation
import JourneyStore
import PostgresFixtures
import Testing

@testable import JourneyStorePostgres

/// How often the function below was called: a C function captures nothing.
private let attempts = Locked(0)

@Suite("A connection to PostgreSQL") struct ConnectionTests {
  @Test func `an event that comes late, when nothing is left to read, closes nothing; the server's end does`()
    async throws
  {
    let server = try await PostgresServer.shared
    let address = try await server.createDatabase()
    let connection = try await PostgresConnection.open(
      PostgresAddress(address), patience: 60, try LibPQ())
    let one = Statement("SELECT 1")
    _ = try await connection.run([one], prepares: true, patience: 60)
    // As when a look at the socket has read what the system tells of only afterwards.
    connection.queue.sync { connection.readInput() }
    #expect(connection.isUsable)
    _ = try await connection.run([one], prepares: true, patience: 60)

    let process = await connection.facts().process
    #expect(try await server.psql(on: address, "SELECT pg_terminate_backend(\(process), 60000)") == 0)
    // The server's process has ended, so its end of the socket has, too.
    connection.queue.sync { connection.readInput() }
    #expect(!connection.isUsable)
    await #expect(throws: PostgresError.self) {
      try await connection.run([one], prepares: true, patience: 60)
    }
  }

  @Test func `an opening that is not answered ends when its time is up`() async throws {
    let error = try await withTemporaryFolder { folder in
      let path = folder.path(percentEncoded: false)
      let listener = try listeningSocket("\(path)/.s.PGSQL.5432")
      defer { close(listener) }
      return await #expect(throws: PostgresError.self) {
        try await PostgresConnection.open(
          PostgresAddress("host=\(path) port=5432 user=postgres"), patience: 0.1, try LibPQ())
      }
    }
    #expect(error?.message == "no answer within 0 seconds")
  }

  @Test func `what was given up is ended in PostgreSQL, too`() async throws {
    let server = try await PostgresServer.shared
    let connection = try await PostgresConnection.open(
      PostgresAddress(server.createDatabase()), patience: 60, try LibPQ())
    let process = await connection.facts().process
    let error = await #expect(throws: PostgresError.self) {
      try await connection.run([Statement("SELECT pg_sleep(100)")], prepares: false, patience: 0.5)
    }
    #expect(error?.isUncertain == true)
    #expect(!connection.isUsable)
    try await server.wait(until: "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = \(process)")
  }

  @Test func `a cancellation that came before its statement is repeated`() async throws {
    let server = try await PostgresServer.shared
    var pq = try LibPQ()
    pq.cancel = { handle, reason, size in
      let isFirst = attempts.withLock { count in
        count += 1
        return count == 1
      }
      return isFirst ? 1 : (try? LibPQ())?.cancel(handle, reason, size) ?? 0
    }
    let connection = try await PostgresConnection.open(
      PostgresAddress(server.createDatabase()), patience: 60, pq)
    let process = await connection.facts().process
    await #expect(throws: PostgresError.self) {
      try await connection.run([Statement("SELECT pg_sleep(100)")], prepares: false, patience: 0.5)
    }
    try await server.wait(until: "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = \(process)")
    #expect(attempts.withLock { $0 } > 1)
  }

  @Test
  func
    `what failed while it was sent may have been carried out, and nothing was if it failed at its beginning`()
    async throws
  {
    let server = try await PostgresServer.shared
    var pq = try LibPQ()
    pq.pipelineSync = { _ in 0 }
    let connection = try await PostgresConnection.open(
      PostgresAddress(server.createDatabase()), patience: 60, pq)
    let statements = [Statement("BEGIN"), Statement("COMMIT")]
    let error = await #expect(throws: PostgresError.self) {
      try await connection.run(statements, prepares: false, patience: 60)
    }
    #expect(error?.isUncertain == true)
    let next = await #expect(throws: PostgresError.self) {
      try await connection.run(statements, prepares: false, patience: 60)
    }
    #expect(next?.isUncertain == false)
  }
}

@Suite("What is watched in a socket's place") struct SocketReadinessTests {
  @Test func `it can be read once something has come, and never hangs up`() throws {
    let (mine, other) = try socketPair()
    defer { close(mine) }
    let readiness = try #require(SocketReadiness(mine, .reading))
    defer { readiness.close() }
    #expect(events(of: readiness.descriptor) == 0)
    #expect(!SocketReadiness.isReady(mine, .reading))

    #expect(write(other, "FATAL", 5) == 5)
    close(other)
    #expect(events(of: mine) & POLLHUP != 0, "the socket has something to read, and hangs up")
    #expect(events(of: readiness.descriptor) == POLLIN)
    #expect(SocketReadiness.isReady(mine, .reading))
  }

  @Test func `it can be read while the socket takes something`() throws {
    let (mine, other) = try socketPair()
    defer {
      close(mine)
      close(other)
    }
    let readiness = try #require(SocketReadiness(mine, .writing))
    defer { readiness.close() }
    #expect(events(of: readiness.descriptor) == POLLIN)
    let piece = [UInt8](repeating: 1, count: 1 << 16)
    while send(mine, piece, piece.count, Int32(MSG_DONTWAIT)) > 0 {}
    #expect(events(of: readiness.descriptor) == 0)
    #expect(!SocketReadiness.isReady(mine, .writing))
  }

  @Test func `libdispatch tells of what came together with the end`() async throws {
    let (mine, other) = try socketPair()
    let readiness = try #require(SocketReadiness(mine, .reading))
    let queue = DispatchQueue(label: "test")
    let source = readiness.source(queue)
    await withCheckedContinuation { continuation in
      source.setEventHandler { source.cancel() }
      source.setCancelHandler {
        readiness.close()
        close(mine)
        continuation.resume()
      }
      source.activate()
      queue.async {
        _ = write(other, "FATAL", 5)
        close(other)
      }
    }
  }

  @Test func `there is none of a socket that is closed`() {
    #expect(SocketReadiness(-1, .reading) == nil)
    #expect(SocketReadiness.isReady(-1, .reading))
  }
}

private func socketPair() throws -> (CInt, CInt) {
  var pair: [CInt] = [-1, -1]
  try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
  return (pair[0], pair[1])
}

/// What the system says of a descriptor, without waiting.
private func events(of descriptor: CInt) -> Int32 {
  var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  return poll(&state, 1, 0) < 0 ? -1 : Int32(state.revents)
}
