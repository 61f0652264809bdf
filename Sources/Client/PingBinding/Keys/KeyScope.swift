internal import Foundation
internal import PingJourneyPlugin
internal import PingOrchestrate

/// The server and realm that a bound key belongs to. User ids are unique only there: two servers may give the same id to
/// different people.
struct KeyScope: Sendable, Hashable {
  /// Scheme, host, port and base path, such as `https://am.example.com/am`.
  let server: String
  /// The realm, such as `alpha`; `root` for the root realm.
  let realm: String

  /// The scope of `realm` at `server`, both normalised; `nil` when `server` is not a web address.
  init?(server: String, realm: String) {
    guard let components = URLComponents(string: server), let scheme = components.scheme?.lowercased(),
      ["https", "http"].contains(scheme), let host = Self.host(of: components), !host.isEmpty
    else { return nil }
    var address = "\(scheme)://\(host)"
    if let port = components.port, port != (scheme == "https" ? 443 : 80) { address += ":\(port)" }
    for segment in components.percentEncodedPath.split(separator: "/") { address += "/\(segment)" }
    self.server = address
    let names = realm.split(separator: "/").filter { $0 != "realms" }
    let own = names.first == "root" ? names.dropFirst() : names[...]
    self.realm = own.isEmpty ? JourneyConstants.realm : own.joined(separator: "/")
  }

  /// The host in lower case. A host stays encoded if its decoded form would be more than a host: `https://a%2Fam` is not the server `a`.
  private static func host(of components: URLComponents) -> String? {
    guard let host = components.host?.lowercased() else { return nil }
    let isPlain = host.hasPrefix("[") || !host.contains(where: { "/?#@:\\%".contains($0) || $0.isWhitespace })
    return isPlain ? host : components.percentEncodedHost?.lowercased()
  }

  /// The scope of `journey`; `nil` outside a journey.
  init?(journey: Journey?) {
    guard let config = journey?.config as? any ServerAddressed, let server = config.serverUrl else {
      return nil
    }
    self.init(server: server, realm: config.realm)
  }

  fileprivate init?(_ key: UserKey) {
    guard let server = key.server, let realm = key.realm else { return nil }
    (self.server, self.realm) = (server, realm)
  }
}

extension UserKey {
  /// The key's server and realm; `nil` when the key was bound outside a journey, or before this was recorded.
  var scope: KeyScope? {
    get { KeyScope(self) }
    set { (server, realm) = (newValue?.server, newValue?.realm) }
  }

  /// The user whose keys replace one another.
  struct Owner: Hashable {
    let scope: KeyScope?
    let userId: String
  }

  var owner: Owner { Owner(scope: scope, userId: userId) }

  /// Whether `realm` at `server` may use the key: it belongs there, or its server is not recorded yet.
  ///
  /// - Parameters:
  ///   - server: The base address, as in a journey's `serverUrl`.
  ///   - realm: The realm, as in a journey's `realm`.
  public func isUsable(at server: String, realm: String) -> Bool {
    scope == nil || scope == KeyScope(server: server, realm: realm)
  }
}
