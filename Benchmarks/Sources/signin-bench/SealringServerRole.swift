import Assembly
import BenchmarkServer
import Foundation
import JOSE
import JourneyStore
import Logging
import PasswordHashing

/// Sealring as it ships, with the fleet's devices already bound.
enum SealringServerRole {
  /// The files that say how many people with passwords there are, and how many accounts with a device beside the fleet.
  static let people = "people"
  static let others = "others"

  /// A journey beside the bundled ones, and the clients of OpenID Connect.
  static let journey = "journeys/alpha/Bench.journey.json"
  static let clients = "clients.json"

  static let database = "sealring/sealring.sqlite"

  static func run(folder: URL) async throws {
    var configuration = ServerRole.configuration(folder: folder, logLevel: .notice)
    configuration.limits.requestsPerAccount = nil
    configuration.limits.requestsPerApplication = nil
    func given(_ path: String) -> URL? {
      let url = folder.appending(path: path)
      return FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) ? url : nil
    }
    configuration.journeysDirectory = given("journeys")
    configuration.openIDClients = given(clients)
    let server = try await SealringServer.make(configuration)
    try await bind(Fleet.read(from: folder.appending(path: "fleet.json")), in: server)
    func count(_ name: String) -> Int {
      (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)).flatMap { Int($0) } ?? 0
    }
    if case let people = count(Self.people), people > 0 {
      // What the comparison of passwords and devices is about is the cost that a server has as it ships.
      let hash = try await PasswordHasher(cost: configuration.passwordCost).hash(PasswordDialogue.password)
      for number in 0..<people {
        try await ServerRole.addUser("person\(number)", passwordHash: hash, to: server)
      }
    }
    if case let others = count(Self.others), others > 0 {
      try await Growth.add(others, to: folder.appending(path: database))
    }
    try await ServerRole.run(server)
  }

  /// An account for each device of the fleet, with the device; those that are there already stay.
  static func bind(_ fleet: [Fleet.Public], in server: SealringServer) async throws {
    let now = Date()
    for device in fleet {
      guard try await ServerRole.addUser(device.username, to: server) else { continue }
      let jwk = try JWK(p256X963: [UInt8](device.x963), keyID: device.kid)
      let added = try await server.store.addBoundDevice(
        BoundDeviceRecord(
          uuid: device.kid, realm: "alpha", username: device.username, deviceID: "bench", deviceName: "bench",
          key: jwk.json, thumbprint: jwk.thumbprint, createdDate: now, lastAccessDate: now), limit: 0)
      guard added == .added else { throw BenchError("a device could not be bound: \(added)") }
    }
  }
}
