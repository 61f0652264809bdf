/// Hides from scripts everything in a request that signs somebody in.
///
/// All realms share one host, so a browser sends each realm's cookies to every journey. A script of one realm that read them would have
/// the sessions of another one's administrators.
struct ScriptVisibility: Sendable {
  /// The name of the session's cookie, in lower case; a header of that name carries a session, too.
  private let cookieName: String

  init(cookieName: String) { self.cookieName = Self.bare(cookieName) }

  /// Headers that only the server reads. The two of PingAM carry a password, `cookie` all cookies, the others sessions, tokens or
  /// passwords.
  private static let withheldHeaders: Set<String> = [
    "x-openam-username", "x-openam-password", "cookie", "cookie2", "authorization", "proxy-authorization",
    "dpop",
  ]

  /// The beginning of the names of this server's own cookies, such as that of known devices.
  private static let ownPrefix = "sealring-"

  /// - Parameter name: in lower case.
  func showsHeader(_ name: String) -> Bool {
    !Self.withheldHeaders.contains(name) && Self.bare(name) != cookieName
  }

  /// Journeys choose the names of persistent cookies, so these are recognised by their content.
  func showsCookie(_ cookie: (name: String, value: String)) -> Bool {
    let name = Self.bare(cookie.name)
    return name != cookieName && !name.hasPrefix(Self.ownPrefix)
      && !PersistentCookies.isOfForm(cookie.value)
  }

  /// Without regard to case, and to the prefixes that browsers know (RFC 6265bis §4.1.3).
  private static func bare(_ name: String) -> String {
    var name = name.lowercased()[...]
    for prefix in ["__host-", "__secure-"] where name.hasPrefix(prefix) {
      name = name.dropFirst(prefix.count)
    }
    return String(name)
  }
}
