import BenchmarkServer
import Foundation
import JourneyServer
import JourneyStore
import Logging

/// Sealring as it ships, with users and the benchmark's journeys.
enum PushServerRole {
  static func run(folder: URL) async throws {
    let journeys = folder.appending(path: "journeys/alpha")
    try FileManager.default.createDirectory(at: journeys, withIntermediateDirectories: true)
    for (name, text) in Journeys.files {
      try Data(text.utf8).write(to: journeys.appending(path: "\(name).journey.json"))
    }
    var configuration = ServerConfiguration()
    configuration.host = "127.0.0.1"
    configuration.port = 0
    configuration.dataDirectory = folder.appending(path: "sealring")
    configuration.journeysDirectory = folder.appending(path: "journeys")
    configuration.administratorPassword = Secret("a benchmark's administrator")
    // One address stands for all clients here, and its few accounts sign all the time.
    configuration.limits.requestsPerAddress = nil
    configuration.limits.requestsPerDevice = nil
    configuration.limits.stored.evidenceBytesPerAccountAndDay = .max
    var logger = Logger(label: "sealring", factory: { StreamLogHandler.standardError(label: $0) })
    logger.logLevel = .warning
    configuration.logger = logger
    let server = try await SealringServer.make(configuration)
    let count = Int(try String(contentsOf: folder.appending(path: "users"), encoding: .utf8)) ?? 0
    for index in 0..<count {
      let name = Fleet.username(index)
      guard try await server.store.user(named: name, realm: "alpha") == nil else { continue }
      try await server.store.createUser(UserRecord(realm: "alpha", username: name, createdAt: Date()))
    }
    try await server.run { port in
      print(port)
      fflush(nil)
    }
  }
}
