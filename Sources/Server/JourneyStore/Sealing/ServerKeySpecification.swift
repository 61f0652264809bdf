internal import Bytes
internal import Foundation

/// The place of a server key, in the form of the option `--server-key`: a kind, a colon, and what the kind needs.
package enum ServerKeySpecification {
  /// Makes a source of a kind that needs a library, from the whole text: for `pkcs11` it is a URI, whose scheme is the kind.
  package typealias Factory = @Sendable (_ text: String) throws -> any ServerKeySource

  /// - Parameter others: Kinds beside `file`, `env` and `credential`.
  /// - Throws: ``StoreError/unavailable(_:)`` for a kind that is not known, or an incomplete text. Only the kind is repeated, in case
  ///   somebody wrote the key itself.
  package static func source(
    _ text: String, others: [String: Factory] = [:],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> any ServerKeySource {
    let kind = String(text.prefix { $0 != ":" })
    let rest = String(text.dropFirst(kind.count + 1))
    let kinds = (["file", "env", "credential"] + others.keys.sorted()).map { "\($0):…" }.joined(
      separator: ", ")
    guard text.contains(":"), !rest.isEmpty else {
      throw StoreError.unavailable("--server-key takes one of \(kinds)")
    }
    switch kind {
    case "file": return FileKeySource(path: rest)
    case "env":
      guard rest.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || $0.isASCIILetterOrDigit }) else {
        throw StoreError.unavailable("--server-key env:NAME takes the name of a variable, not the key")
      }
      return EnvironmentKeySource(name: rest)
    case "credential": return FileKeySource(path: try credential(rest, environment), isPrivate: false)
    default:
      if let factory = others[kind] { return try factory(text) }
      throw StoreError.unavailable("--server-key takes one of \(kinds)")
    }
  }

  /// The path of a credential that systemd gave to this service (systemd.exec(5), `LoadCredential=`).
  package static func credential(_ name: String, _ environment: [String: String]) throws -> String {
    guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else {
      throw StoreError.unavailable(
        "there are no credentials: systemd did not start this program with LoadCredential= or LoadCredentialEncrypted="
      )
    }
    guard !name.contains("/"), name != ".", name != ".." else {
      throw StoreError.unavailable("--server-key credential:NAME takes a name, not a path")
    }
    return "\(folder)/\(name)"
  }
}
