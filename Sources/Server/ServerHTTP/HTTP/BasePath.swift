internal import Bytes
internal import Foundation
package import Operations

/// The server's path on its host: `/am` by default, as in PingAM, or the value of `--base-path`.
///
/// Within the server, every path is below `/am`. Incoming paths are translated first, and outgoing addresses are made of ``text``, so no
/// resource, page or check has to know the base path.
package struct BasePath: Sendable, Hashable {
  /// Such as `/am` or `/sso/openam`.
  package let text: String

  /// How the server's own paths begin.
  package static let standard = BasePath(inner)
  private static let inner = "/am"

  /// Bytes of ``text``.
  private static let longest = 128

  private init(_ known: String) { text = known }

  /// - Throws: ``ServerSetupError`` unless `text` is one to four plain names, each after a slash.
  package init(parsing text: String) throws(ServerSetupError) {
    let names = text.parts(separatedBy: UInt8(ascii: "/"))
    guard text.utf8.count <= Self.longest, (2...5).contains(names.count), names[0].isEmpty,
      names.dropFirst().allSatisfy(Self.isPlain), names[1] != "health"
    else {
      throw ServerSetupError(
        "The base path \(text.bounded(to: 200).debugDescription) is not one such as /am or /sso/openam: one to four names of letters, digits, hyphens, underscores and full stops, each after a slash and beginning with a letter or digit, and none at the end. /health is the health check's."
      )
    }
    self.text = text
  }

  private static func isPlain(_ name: Substring) -> Bool {
    name.utf8.first?.isASCIILetterOrDigit == true
      && name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.".utf8.contains($0) }
  }

  /// Translates a path to one below `/am`, under a base path other than the standard one.
  func inner(_ path: String) -> String {
    if path == text || path.hasPrefix(text + "/") { return Self.inner + path.dropFirst(text.utf8.count) }
    let rest = path.drop { $0 == "/" }
    let first = rest.prefix { $0 != "/" }
    guard first.removingPercentEncoding == String(Self.inner.dropFirst()) else { return path }
    // A name that no resource has, at the same depth.
    return "/-" + rest.dropFirst(first.count)
  }

  /// The path as clients know it.
  func outer(_ path: String) -> String {
    guard path == Self.inner || path.hasPrefix(Self.inner + "/") else { return path }
    return text + path.dropFirst(Self.inner.utf8.count)
  }
}
