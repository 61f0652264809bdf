import Concurrency
import Crypto
import DeviceKeys
import Foundation
import PingBinding
import PingLogger
import PingStorage

/// A device that the earlier SDK has bound: entries and private keys in files.
struct LegacyDevice: Sendable {
  let folder: URL

  var legacy: FileLegacyStore { FileLegacyStore(directory: folder.appendingPathComponent("legacy")) }
  var storage: FileStorage<[UserKey]> { FileStorage(file: folder.appendingPathComponent("userkeys")) }
  var target: UserKeyStorageConfig { UserKeyStorageConfig(storage: storage) }

  func keyStore() throws -> SoftwareKeyStore {
    try SoftwareKeyStore(directory: folder.appendingPathComponent("keys"), scrypt: ScryptCost(rounds: 16))
  }

  /// The tag under which the earlier SDK keeps the private key of a user.
  static func tag(of user: String) -> String {
    Data(SHA256.hash(data: Data(user.utf8))).base64EncodedString()
  }

  static func entry(
    user: String, kid: String, type: String = "NONE", created: Double = 1763384307.7923698,
    changing change: (inout [String: Any]) -> Void = { _ in }
  ) throws -> Data {
    var object: [String: Any] = [
      "id": tag(of: user), "userId": user, "userName": "name of \(user)", "kid": kid, "authType": type,
      "createdAt": created,
    ]
    change(&object)
    return try JSONSerialization.data(withJSONObject: object)
  }

  /// Puts an entry down.
  func add(
    _ user: String, kid: String, type: String = "NONE", created: Double = 1763384307.7923698,
    changing change: (inout [String: Any]) -> Void = { _ in }
  ) throws {
    try legacy.add(
      Self.entry(user: user, kid: kid, type: type, created: created, changing: change), id: Self.tag(of: user)
    )
  }

  func migrate(cleanup: Bool = true, logger: (any Logger)? = nil) async throws {
    try await BindingMigration.migrate(
      logger: logger, cleanupLegacyData: cleanup, storageConfig: target, legacyStore: legacy)
  }

  /// The keys in the new storage.
  var keys: [UserKey] {
    get async throws { try await BindingModule.getAllKeys(userKeyStorage: target) }
  }
}

/// Keeps what is logged, a line each, after its level.
final class LineLogger: Logger, Sendable {
  private let captured = Locked<[String]>([])

  var lines: [String] { captured.withLock { $0 } }

  private func add(_ line: String) { captured.withLock { $0.append(line) } }

  func d(_ message: String) { add("[DEBUG] \(message)") }
  func i(_ message: String) { add("[INFO] \(message)") }
  func w(_ message: String, error: (any Error)?) { add("[WARN] \(message) \(error.map { "\($0)" } ?? "")") }
  func e(_ message: String, error: (any Error)?) { add("[ERROR] \(message) \(error.map { "\($0)" } ?? "")") }
}
