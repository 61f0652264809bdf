import CommonFixtures
import DeviceKeys
import Foundation

extension TemporaryFolder {
  /// A store in the folder whose scrypt is cheap.
  func store() throws -> SoftwareKeyStore {
    try SoftwareKeyStore(directory: url, scrypt: ScryptCost(rounds: 16))
  }

  /// The key files.
  func keyFiles() throws -> [URL] { try names().filter { $0.hasSuffix(".key") }.map(file) }
}
