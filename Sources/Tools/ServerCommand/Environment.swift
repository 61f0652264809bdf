import CommandSettings
import Foundation
import PrivateFiles

/// Reads the environment for commands.
package enum Environment {
  /// All variables.
  package static var variables: [String: String] { CommandProcess.current.environment }

  /// The administrator's password in `SEALRING_ADMIN_PASSWORD`; `nil` when it is not set or empty.
  package static var administratorPassword: String? {
    variables["SEALRING_ADMIN_PASSWORD"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The administrator's password: from the environment, else from the file in the setting `admin-password-file`.
  ///
  /// - Throws: `CommandFailure` for a file that is missing, that others can read, or whose first line is empty.
  package static func configuredAdministratorPassword() throws -> String? {
    if let administratorPassword { return administratorPassword }
    guard let path = CurrentSettings.given("admin-password-file") else { return nil }
    return try firstLine(of: path.text, namedBy: path.source.text)
  }

  /// The first line of a file with a secret; `source` names the file's origin in messages.
  private static func firstLine(of path: String, namedBy source: String) throws -> String {
    let place = "The file \(printable(path)), which \(printable(source)) names,"
    let bytes: [UInt8]?
    do { bytes = try ProtectedFiles.read(URL(filePath: path), limit: 4096) } catch {
      throw CommandFailure(
        "\(place) cannot be read: \(sentence(printable(error.errorMessage)))",
        code: PlainReason.code(of: error))
    }
    guard let bytes else { throw CommandFailure("\(place) is not there.", code: .notFound) }
    let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    guard let mode, mode.intValue & 0o077 == 0 else {
      throw CommandFailure(
        "\(place) can be read by other users. Fix that: chmod 600 \(printable(path))", code: .forbidden)
    }
    let line = String(decoding: bytes.prefix { $0 != 10 && $0 != 13 }, as: UTF8.self)
    guard !line.isEmpty else {
      throw CommandFailure("\(place) has an empty first line.", code: .invalid)
    }
    return line
  }
}
