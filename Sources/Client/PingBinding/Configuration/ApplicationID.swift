internal import Foundation
internal import PingLogger

/// Whom proofs say that they are of: the claim `iss`, which the server compares with its node's list.
enum ApplicationID {
  /// What the operation's configuration says, else what the process has set, else the bundle identifier, else a name made of
  /// the executable's, with a warning: the server takes it only when somebody has listed it.
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

  /// The reverse-DNS form of an executable's name: `local.` and the name, or the name alone when that has the form already.
  ///
  /// `local` is not a domain that anybody can own (RFC 6762 §3), so that this is never another application's id.
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
