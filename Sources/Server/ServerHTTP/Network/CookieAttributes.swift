/// Writes `Set-Cookie` (RFC 6265 §4.1), for all cookies of this server: no script reads them, no other site's form sends them,
/// and they go to this host alone, because none names a `Domain`.
///
/// Hummingbird's `Cookie` is not used: PingAM clears a cookie with the quoted empty value `""`, which that type refuses.
package struct CookieAttributes: Sendable, Equatable {
  /// Whether browsers send the cookie by https only.
  package let isSecure: Bool

  /// - Parameter lifetime: seconds that browsers keep the cookie; `nil` for as long as they run.
  package func setting(_ name: String, to value: String, lifetime: Int? = nil) -> String {
    "\(name)=\(value); Path=/" + (lifetime.map { "; Max-Age=\($0)" } ?? "") + common
  }

  /// Makes browsers forget the cookie.
  package func clearing(_ name: String) -> String {
    "\(name)=\"\"; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT" + common
  }

  private var common: String { "; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "") }

  /// Whether browsers accept a cookie of that name by https only (RFC 6265bis §4.1.3). `__Host-` also asks for `Path=/` and no
  /// `Domain`, which is true of all cookies here.
  static func needsSecure(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasPrefix("__host-") || name.hasPrefix("__secure-")
  }
}
