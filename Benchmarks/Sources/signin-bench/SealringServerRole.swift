import BenchmarkServer
import Foundation
import JOSE
import JourneyServer
import JourneyStore
import Logging

/// Sealring as it ships, with the fleet's devices already bound.
enum SealringServerRole {
  static func run(folder: URL) async throws {
    var configuration = ServerConfiguration()
    configuration.host = "127.0.0.1"
    configuration.port = 0
    configuration.dataDirectory = folder.appending(path: "sealring")
    configuration.administratorPassword = Secret("a benchmark's administrator")
    // One address stands for all clients here, and its few accounts sign all the time.
    configuration.limits.requestsPerAddress = nil
    configuration.limits.requestsPerDevice = nil
    configuration.limits.stored.evidenceBytesPerAccountAndDay = .max
    var logger = Logger(label: "sealring", factory: { StreamLogHandler.standardError(label: $0) })
    logger.logLevel = .notice
    configuration.logger = logger
    let server = try await SealringServer.make(configuration)
    let now = Date()
    for device in try Fleet.read(from: folder.appending(path: "fleet.json")) {
      try await server.store.createUser(UserRecord(realm: "alpha", username: device.username, createdAt: now))
      let jwk = try JWK(p256X963: [UInt8](device.x963), keyID: device.kid)
      let added = try await server.store.addBoundDevice(
        BoundDeviceRecord(
          uuid: device.kid, realm: "alpha", username: device.username, deviceID: "bench", deviceName: "bench",
          key: jwk.json, thumbprint: jwk.thumbprint, createdDate: now, lastAccessDate: now), limit: 0)
      guard added == .added else { throw BenchError("a device could not be bound: \(added)") }
    }
    try await server.run { port in
      print(port)
      fflush(nil)
    }
  }
}
