import Assembly
import BenchmarkServer
import Foundation

/// Sealring as it ships, with users and the benchmark's journeys.
enum PushServerRole {
  static func run(folder: URL) async throws {
    let journeys = folder.appending(path: "journeys/alpha")
    try FileManager.default.createDirectory(at: journeys, withIntermediateDirectories: true)
    for (name, text) in Journeys.files {
      try Data(text.utf8).write(to: journeys.appending(path: "\(name).journey.json"))
    }
    var configuration = ServerRole.configuration(folder: folder)
    configuration.journeysDirectory = folder.appending(path: "journeys")
    let server = try await SealringServer.make(configuration)
    let count = Int(try String(contentsOf: folder.appending(path: "users"), encoding: .utf8)) ?? 0
    for index in 0..<count { try await ServerRole.addUser(Fleet.username(index), to: server) }
    try await ServerRole.run(server)
  }
}
