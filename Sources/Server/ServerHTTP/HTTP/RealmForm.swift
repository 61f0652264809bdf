internal import BindingFormats

/// How a path names its realm. As in PingAM, each form is an OAuth issuer of its own, because clients compare the issuer with the address
/// that they were given; tokens of one form are good at the others.
package enum RealmForm: Sendable, CaseIterable {
  /// `alpha`. Empty for the root realm and where the query names the realm, because an issuer has no query (OpenID Connect Core §2).
  case short

  /// `realms/root/realms/alpha`.
  case long

  /// `realms/alpha`, which SDKs make of a realm that they call `alpha`.
  case partial

  /// - Parameter segments: a path from its realm on.
  init(of segments: some Collection<String>) {
    guard segments.first == "realms" else {
      self = .short
      return
    }
    self = segments.dropFirst().first?.lowercased() == "root" ? .long : .partial
  }

  /// The path of `realm`: empty, or with a slash in front.
  package func path(of realm: String) -> String {
    let path = RealmPath(realm)
    switch self {
    case .short: return path.inShortPath
    case .long: return "/" + path.inPath
    case .partial:
      return path.names.isEmpty ? "/" + path.inPath : "/" + path.inPath.dropFirst("realms/root/".count)
    }
  }
}
