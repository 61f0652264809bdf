public import Foundation
internal import PingNetwork

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The cookies of one workflow that are not persisted.
public final actor InMemoryCookieStorage {
  private var stored: [HTTPCookie] = []
  private let now: @Sendable () -> Date

  init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

  /// Stores a cookie in place of the one with the same name, domain and path. An expired cookie only removes the stored one.
  public func setCookie(_ cookie: HTTPCookie) {
    stored = CookieMatching.merged(stored, with: [cookie], now: now())
  }

  /// Removes the cookie with the same name, domain and path.
  public func deleteCookie(_ cookie: HTTPCookie) {
    stored.removeAll { CookieMatching.isSame($0, cookie) }
  }

  /// Removes the cookies that would be sent to `url`.
  public func deleteCookies(url: URL) {
    let now = now()
    stored.removeAll { CookieMatching.matches($0, url, now: now) }
  }

  /// Removes all cookies.
  func deleteAll() { stored = [] }

  /// All cookies that have not expired.
  public var cookies: [HTTPCookie]? { CookieMatching.merged(stored, with: [], now: now()) }

  /// The cookies to send to `url`.
  public func cookies(for url: URL) -> [HTTPCookie]? {
    CookieMatching.matching(stored, url, now: now())
  }

  /// Stores cookies that an answer from `url` has set, but none that the server of `url` must not set (RFC 6265 §5.3). Without `url` the
  /// caller has checked that; the cookies of ``Response/getCookies()`` are checked.
  public func setCookies(_ cookies: [HTTPCookie], for url: URL?, mainDocumentURL: URL?) {
    let cookies = url.map { url in cookies.filter { CookieMatching.maySet($0, from: url) } } ?? cookies
    stored = CookieMatching.merged(stored, with: cookies, now: now())
  }
}
