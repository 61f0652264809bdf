import Foundation
import SecurityKeys
import TerminalText

/// A connected security key, as the list shows it.
struct PluggedSecurityKey {
  let key: AttachedSecurityKey

  static var all: [PluggedSecurityKey] {
    #if os(Linux)
      SecurityKeyAuthenticator.attached().map { PluggedSecurityKey(key: $0) }
    #else
      []
    #endif
  }

  /// One line about the key, with the next step when it cannot be used.
  var text: String {
    let use =
      key.isPermitted
      ? "use it with --authenticator security-key"
      : SecurityKeyError.notPermitted(path: key.path).localizedDescription
    return "Security key \(printable(key.description)): \(use)"
  }

  private var model: String { String(format: "%04x:%04x", key.vendor, key.product) }

  static var columns: [Column<PluggedSecurityKey>] {
    [
      Column("PATH", "path") { $0.key.path }, Column("NAME", "name") { $0.key.name },
      Column("MODEL", "model") { $0.model }, Column("USABLE", "usable") { $0.key.isPermitted ? "yes" : "no" },
    ]
  }
}
