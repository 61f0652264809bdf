package import Foundation
internal import WebAddresses

/// The redirect with which the page of a request has to end.
///
/// Other programs on the machine can send redirects, too. A redirect that does not answer this request does not end it, because the real
/// one may still come.
package struct ExpectedRedirect: Sendable {
  /// The scheme in lower case.
  package let scheme: String
  /// The address without its query; `nil` when the request does not name it.
  package let address: String?
  /// The request's `state`; `nil` when the request has none.
  package let state: String?

  /// - Throws: ``BrowserError/externalUserAgentFailure`` when the request's redirect has another scheme.
  package init(of request: URL, scheme: String) throws(BrowserError) {
    let items = URLComponents(url: request, resolvingAgainstBaseURL: true)?.queryItems ?? []
    let redirect =
      (items.first { $0.name == "redirect_uri" } ?? items.first { $0.name == "post_logout_redirect_uri" })?
      .value
    try self.init(
      redirect: redirect, state: items.first { $0.name == "state" }?.value, scheme: scheme)
  }

  init(redirect: String?, state: String?, scheme: String) throws(BrowserError) {
    let own = redirect.flatMap { URL(string: $0)?.scheme?.lowercased() }
    let wanted = scheme.isEmpty ? own ?? "" : scheme.lowercased()
    guard !wanted.isEmpty, redirect == nil || own == wanted else { throw .externalUserAgentFailure }
    self.scheme = wanted
    self.address = redirect.map { String($0.prefix { $0 != "?" && $0 != "#" }) }
    self.state = state
  }

  /// Whether `url` is the expected redirect.
  package func isMet(by url: URL) -> Bool {
    guard url.scheme?.lowercased() == scheme else { return false }
    if let address {
      let own = url.absoluteString.prefix { $0 != "?" && $0 != "#" }
      // Foundation writes an address without a path with or without the slash.
      guard own == address || own == address + "/" || own + "/" == address else { return false }
    }
    guard let state else { return true }
    let states = (URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []).filter {
      $0.name == "state"
    }
    return states.count == 1 && states[0].value == state
  }
}

extension URL {
  /// Whether a browser may be opened for this URL: only for a web address whose requests nobody on the network path can read, never for a
  /// file, a script or another program's scheme.
  var isForBrowsers: Bool { WebOrigin(address: absoluteString)?.isConfidential == true }

  /// Returns this URL with `items` added to its query.
  func adding(_ items: [String: String]) -> URL {
    guard !items.isEmpty, var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
      return self
    }
    components.queryItems =
      (components.queryItems ?? [])
      + items.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
    return components.url ?? self
  }
}
