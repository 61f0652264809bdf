import BenchmarkServer
import Foundation
import JOSE
import JourneyServer
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
    var configuration = ServerConfiguration()
    configuration.host = "127.0.0.1"
    configuration.port = 0
    configuration.dataDirectory = folder.appending(path: "sealring")
    configuration.administratorPassword = Secret("a benchmark's administrator")
    // One address stands for all clients here, and its few accounts sign all the time.
    configuration.limits.requestsPerAddress = nil
    configuration.limits.requestsPerDevice = nil
    configuration.limits.requestsPerAccount = nil
    configuration.limits.requestsPerApplication = nil
    configuration.limits.stored.evidenceBytesPerAccountAndDay = .max
    func given(_ path: String) -> URL? {
      let url = folder.appending(path: path)
      return FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) ? url : nil
    }
    configuration.journeysDirectory = given("journeys")
    configuration.openIDClients = given(clients)
    // What the comparison of passwords and devices is about is the cost that a server has as it ships.
    let people = try? String(contentsOf: folder.appending(path: Self.people), encoding: .utf8)
    var logger = Logger(label: "sealring", factory: { StreamLogHandler.standardError(label: $0) })
    logger.logLevel = .notice
    configuration.logger = logger
    let server = try await SealringServer.make(configuration)
    try await bind(Fleet.read(from: folder.appending(path: "fleet.json")), in: server)
    if let people = people.flatMap({ Int($0) }) {
      let hash = try await PasswordHasher(cost: configuration.passwordCost).hash(PasswordDialogue.password)
      for number in 0..<people {
        let name = "person\(number)"
        guard try await server.store.user(named: name, realm: "alpha") == nil else { continue }
        try await server.store.createUser(
          UserRecord(realm: "alpha", username: name, passwordHash: hash, createdAt: Date()))
      }
    }
    let others = try? String(contentsOf: folder.appending(path: Self.others), encoding: .utf8)
    if let count = others.flatMap({ Int($0) }), count > 0 {
      try await Growth.add(count, to: folder.appending(path: database))
    }
    try await server.run { port in
      print(port)
      fflush(nil)
    }
  }

  /// An account for each device of the fleet, with the device; those that are there already stay.
  static func bind(_ fleet: [Fleet.Public], in server: SealringServer) async throws {
    let now = Date()
    for device in fleet {
      if try await server.store.user(named: device.username, realm: "alpha") != nil { continue }
      try await server.store.createUser(UserRecord(realm: "alpha", username: device.username, createdAt: now))
      let jwk = try JWK(p256X963: [UInt8](device.x963), keyID: device.kid)
      let added = try await server.store.addBoundDevice(
        BoundDeviceRecord(
          uuid: device.kid, realm: "alpha", username: device.username, deviceID: "bench", deviceName: "bench",
          key: jwk.json, thumbprint: jwk.thumbprint, createdDate: now, lastAccessDate: now), limit: 0)
      guard added == .added else { throw BenchError("a device could not be bound: \(added)") }
    }
  }
}
