import Foundation
import PingNetwork

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension FuzzTarget {
  /// A server sets cookies for itself and the domains above it only.
  static let setCookie = FuzzTarget(text: { text in
    _ = CookieDate.parse(text)
    guard let url = URL(string: "https://am.id.example.co.uk/am/json/authenticate"),
      let other = URL(string: "https://am.example.org/am/json/authenticate")
    else { return }
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let cookies = SetCookie.cookies(joinedIn: text, for: url, receivedAt: now)
    for cookie in cookies {
      let domain = cookie.domain.lowercased()
      expect(
        domain == "am.id.example.co.uk"
          || domain.hasPrefix(".") && domain.dropFirst().contains(".")
            && ("." + (url.host ?? "")).hasSuffix(domain),
        "a cookie is for another host: \(domain)")
      expect(cookie.path.hasPrefix("/"), "a cookie's path is none")
      expect(!cookie.name.isEmpty, "a cookie has no name")
      expect(!CookieMatching.matches(cookie, other, now: now), "a cookie goes to another server")
      expect(
        !(cookie.expiresDate.map { $0 <= now } ?? false) || !CookieMatching.matches(cookie, url, now: now),
        "a cookie is sent after its end")
    }
    let kept = CookieMatching.merged(cookies, with: cookies, now: now)
    expect(kept.count <= cookies.count, "merging makes cookies up")
    expect(CookieMatching.matching(kept, url, now: now).count <= kept.count, "matching makes cookies up")
  })
}
