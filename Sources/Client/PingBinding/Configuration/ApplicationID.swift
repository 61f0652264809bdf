internal import Foundation
internal import PingLogger

/// The application id of proofs: the claim `iss`, which the server compares with its node's list.
enum ApplicationID {
  /// The operation's configured id, else the process's, else the bundle identifier. Without any of these, the id is derived from the
  /// executable's name, and a warning is logged: the server accepts such an id only when its node lists it.
  static func chosen(_ configured: String?, logger: any Logger) -> String {
    for id in [configured, BindingModule.applicationId] {
      if let id, !id.isEmpty { return id }
    }
    let id = derived(
      from: Bundle.main.executableURL?.lastPathComponent ?? ProcessInfo.processInfo.processName)
    logger.w(
      "This program has no bundle identifier and signs as \(id). Set BindingModule.applicationId to one of the"
        + " application ids that the server's node lists, or list this one there.", error: nil)
    return id
  }

  /// The reverse-DNS form of an executable's name: `local.` followed by the name.
  ///
  /// Nobody can own the domain `local` (RFC 6762 §3), so this is never another application's id.
  static func derived(from executable: String) -> String {
    let name = String(
      executable.unicodeScalars.map { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == ".")
          ? Character(scalar) : "-"
      }
    ).split(separator: ".").joined(separator: ".")
    return "local." + (name.isEmpty ? "application" : name)
  }
}
