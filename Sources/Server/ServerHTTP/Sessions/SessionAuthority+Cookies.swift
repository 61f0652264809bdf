package import BindingFormats
package import HTTPTypes
package import Hummingbird
package import JourneyNodes

extension SessionAuthority {
  /// How cookies are set in the answer to a request that came by `connection`.
  package func cookieAttributes(for connection: ClientConnection) -> CookieAttributes {
    CookieAttributes(isSecure: isAlwaysSecure || connection.scheme == .https)
  }

  /// Makes the browser forget its session and what would sign `account` in again. A person who signs out wants to be asked next time.
  ///
  /// - Parameter cookies: the request's header `Cookie`.
  package func clearing(
    _ persistent: PersistentCookies, of account: UniversalID?, in cookies: String?,
    for connection: ClientConnection
  ) -> [HTTPField] {
    let attributes = cookieAttributes(for: connection)
    let names = [cookieName] + (account.map { persistent.names(in: cookies, of: $0) } ?? [])
    return names.map { HTTPField(name: .setCookie, value: attributes.clearing($0)) }
  }
}

extension Response {
  /// - Parameter cookie: as ``CookieAttributes`` writes it.
  package mutating func add(cookie: String) {
    headers.append(HTTPField(name: .setCookie, value: cookie))
  }
}
