package import Foundation

/// The address of a database: `sqlite:DIRECTORY`, `sqlite::memory:` or `postgres://USER@HOST/DATABASE`.
package enum DatabaseAddress {
  case memory
  case folder(URL)

  /// The connection URI for libpq.
  case postgres(String)

  /// - Returns: `nil` for anything else.
  package init?(_ text: String) {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    if ["postgres", "postgresql"].contains(scheme), text.dropFirst(scheme.count).hasPrefix("://") {
      self = .postgres(text)
      return
    }
    var path = String(text.dropFirst("sqlite:".count))
    if path.hasPrefix("//") { path.removeFirst(2) }
    guard scheme == "sqlite", !path.isEmpty else { return nil }
    let url = URL(fileURLWithPath: path)
    let isFile = url.lastPathComponent == "sealring.sqlite"
    self = path == ":memory:" ? .memory : .folder(isFile ? url.deletingLastPathComponent() : url)
  }
}
