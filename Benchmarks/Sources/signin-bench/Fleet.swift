import Crypto
import Foundation
import JourneyDriving

/// The simulated devices: one key each, bound to a user of its own.
struct Fleet: Sendable {
  struct Device: Sendable {
    let username: String
    let key: SimulatedKey
  }

  /// The public half of a device, as the servers learn it.
  struct Public: Codable {
    let username: String
    let kid: String
    let x963: Data
  }

  let devices: [Device]

  init(count: Int) {
    devices = (0..<count).map {
      Device(
        username: "user\($0)",
        key: SimulatedKey(userID: "id=user\($0),ou=user,o=alpha,ou=services,ou=am-config"))
    }
  }

  func write(to file: URL) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let all = devices.map {
      Public(username: $0.username, kid: $0.key.id, x963: $0.key.key.publicKey.x963Representation)
    }
    try JSONEncoder().encode(all).write(to: file)
  }

  static func read(from file: URL) throws -> [Public] {
    try JSONDecoder().decode([Public].self, from: Data(contentsOf: file))
  }
}
