internal import Bytes
internal import JourneyEngine

extension PersistentCookies.Order {
  /// What the properties say that both nodes of persistent cookies have.
  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    name = try definition.string("persistentCookieName", default: "session-jwt")
    // A token, so that it can be a cookie's name.
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(\.isTokenCharacter) else {
      throw definition.wrong(
        "persistentCookieName", "must be a cookie's name of 1 to 64 letters, digits and - _ .")
    }
    let longest = Int(PersistentCookies.longestLife) / 3600
    func seconds(_ property: String) throws(JourneyFileError) -> Int64 {
      Int64(try definition.integer(property, default: 5, in: 1...longest, clamping: .down)) * 3600
    }
    idleTime = try seconds("idleTimeout")
    maximumLife = try seconds("maxLife")
    isSecure = try definition.flag("useSecureCookie", default: true, instead: true)
    isHTTPOnly = try definition.flag("useHttpOnlyCookie", default: true, instead: true)
    // Exports carry the key of the server that they come from; this server has its own.
  }
}
