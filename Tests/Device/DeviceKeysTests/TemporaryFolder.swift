import DeviceKeys
import Foundation

/// A folder that is removed with the object.
final class TemporaryFolder: Sendable {
  let url: URL

  init() {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("sealring-keys-\(UUID().uuidString)", isDirectory: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// A store in the folder whose scrypt is cheap.
  func store() throws -> SoftwareKeyStore {
    try SoftwareKeyStore(directory: url, scrypt: ScryptCost(rounds: 16))
  }

  /// All names, hidden ones too.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  }

  /// The key files.
  func keyFiles() throws -> [URL] {
    try names().filter { $0.hasSuffix(".key") }.map { url.appendingPathComponent($0) }
  }
}

/// The permission bits of the file at `url`.
func mode(of url: URL) throws -> Int {
  let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
  return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
}
