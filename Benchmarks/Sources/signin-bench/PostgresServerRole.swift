import BenchmarkServer
import Foundation
import JourneyServer
import JourneyStore
import Logging
import PasswordHashing

/// Sealring on the PostgreSQL database whose address is in the folder's file `address`, with hashes that cost nearly nothing: a
/// password's real hash takes 27 ms of a core on purpose, and nothing of the database would be seen beside it.
enum PostgresServerRole {
  static let address = "address"

  static func run(folder: URL) async throws {
    var configuration = ServerConfiguration()
    configuration.host = "127.0.0.1"
    configuration.port = 0
    configuration.dataDirectory = folder.appending(path: "sealring")
    configuration.database = try String(contentsOf: folder.appending(path: address), encoding: .utf8)
    configuration.administratorPassword = Secret("a benchmark's administrator")
    configuration.passwordCost = Argon2Cost(memoryKiB: 8, iterations: 1)
    configuration.limits.requestsPerAddress = nil
    configuration.limits.requestsPerDevice = nil
    configuration.limits.stored.evidenceBytesPerAccountAndDay = .max
    // Two servers on one folder must not write one file of events.
    configuration.eventsFile = folder.appending(
      path: "events-\(ProcessInfo.processInfo.processIdentifier).jsonl")
    var logger = Logger(label: "sealring", factory: { StreamLogHandler.standardError(label: $0) })
    logger.logLevel = .warning
    configuration.logger = logger
    let server = try await SealringServer.make(configuration)
    if let fleet = try? Fleet.read(from: folder.appending(path: "fleet.json")) {
      try await SealringServerRole.bind(fleet, in: server)
    }
    let hash = try await PasswordHasher(cost: configuration.passwordCost).hash(PasswordDialogue.password)
    if try await server.store.user(named: "user0", realm: "alpha") == nil {
      try await server.store.createUser(
        UserRecord(realm: "alpha", username: "user0", passwordHash: hash, createdAt: Date()))
    }
    try await server.run { port in
      print(port)
      fflush(nil)
    }
  }
}
