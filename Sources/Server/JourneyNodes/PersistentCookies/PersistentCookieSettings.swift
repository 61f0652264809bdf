internal import Bytes
internal import JourneyEngine

/// The properties that both nodes of persistent cookies have.
struct PersistentCookieSettings: Sendable {
  let name: String

  /// Seconds.
  let idleTime: Int64
  let maximumLife: Int64
  let isSecure: Bool
  let isHTTPOnly: Bool
  let warnings: [String]

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    name = try definition.string("persistentCookieName", default: "session-jwt")
    // A token, so that it can be a cookie's name.
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(\.isTokenCharacter) else {
      throw definition.wrong(
        "persistentCookieName", "must be a cookie's name of 1 to 64 letters, digits and - _ .")
    }
    let longest = Int64(PersistentCookies.longestLife)
    var warnings: [String] = []
    func seconds(_ property: String) throws(JourneyFileError) -> Int64 {
      let seconds = Int64(try definition.integer(property, default: 5, in: 1...1_000_000)) * 3600
      if seconds > longest { warnings.append("\(property) is cut to \(longest / 3600) hours") }
      return min(seconds, longest)
    }
    idleTime = try seconds("idleTimeout")
    maximumLife = try seconds("maxLife")
    isSecure = try definition.flag("useSecureCookie", default: true)
    isHTTPOnly = try definition.flag("useHttpOnlyCookie", default: true)
    // Exports carry the key of the server that they come from; this server has its own.
    self.warnings = warnings
  }

  func order(authenticatedAt: Int64? = nil, expiresAt: Int64? = nil) -> PersistentCookies.Order {
    PersistentCookies.Order(
      name: name, idleTime: idleTime, maximumLife: maximumLife, isSecure: isSecure, isHTTPOnly: isHTTPOnly,
      authenticatedAt: authenticatedAt, expiresAt: expiresAt)
  }
}
