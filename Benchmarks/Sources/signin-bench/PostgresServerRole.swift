import Assembly
import BenchmarkServer
import Foundation
import PasswordHashing

/// Sealring on the PostgreSQL database whose address is in the folder's file `address`, with hashes that cost nearly nothing: a
/// password's real hash takes 27 ms of a core on purpose, and nothing of the database would be seen beside it.
enum PostgresServerRole {
  static let address = "address"

  static func run(folder: URL) async throws {
    var configuration = ServerRole.configuration(folder: folder)
    configuration.database = try String(contentsOf: folder.appending(path: address), encoding: .utf8)
    configuration.passwordCost = Argon2Cost(memoryKiB: 8, iterations: 1)
    // Two servers on one folder must not write one file of events.
    configuration.eventsFile = folder.appending(
      path: "events-\(ProcessInfo.processInfo.processIdentifier).jsonl")
    let server = try await SealringServer.make(configuration)
    if let fleet = try? Fleet.read(from: folder.appending(path: "fleet.json")) {
      try await SealringServerRole.bind(fleet, in: server)
    }
    let hash = try await PasswordHasher(cost: configuration.passwordCost).hash(PasswordDialogue.password)
    try await ServerRole.addUser("user0", passwordHash: hash, to: server)
    try await ServerRole.run(server)
  }
}
