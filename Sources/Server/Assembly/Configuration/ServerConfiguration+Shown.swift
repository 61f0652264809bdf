internal import Accounts
internal import Foundation
internal import ProductVersion
internal import ServerHTTP

extension ServerConfiguration {
  /// The effective configuration for the administration's page, without what is secret or says where secrets are.
  var shown: [(name: String, value: String)] {
    var settings: [(name: String, value: String)] = [
      ("version", ProductVersion.text), ("host", host), ("port", String(port)),
      ("tls", tls == nil ? "off" : "on"), ("publicURL", publicURL ?? "–"),
      ("realms", realms.joined(separator: ", ")),
      (
        "database",
        database.map(Self.kind(ofDatabase:))
          ?? (dataDirectory == nil ? "memory" : "SQLite")
      ),
      ("journeys", journeysDirectory?.path(percentEncoded: false) ?? "–"),
      ("watchJourneys", Self.word(watchesJourneys)),
      ("journeyReview", journeyReview.rawValue),
      ("journeyTimeout", "\(Int(journeyTimeout)) s"),
      ("sessionIdleTime", "\(Int(sessionIdleTime)) s"),
      ("sessionLifetime", "\(Int(sessionLifetime)) s"),
      ("factorChanges", factorChanges.standard?.rawValue ?? "any"),
      ("passwordMinimum", String(passwordMinimum)),
      ("ledgerLanes", String(ledgerLanes)),
      ("metrics", Self.word(metricsPort != nil)),
      ("traces", Self.word(traceEndpoint != nil)),
      ("scripts", Self.word(scripts.program != nil)),
      ("rateLimit", limits.requestsPerAddress.map { "\($0)/min" } ?? "off"),
    ]
    for (realm, requirement) in factorChanges.realms.sorted(by: { $0.key < $1.key }) {
      settings.append(("factorChanges \(realm)", requirement.rawValue))
    }
    return settings
  }

  /// Addresses of databases may have passwords in them.
  static func kind(ofDatabase address: String) -> String {
    address.hasPrefix("postgres") ? "PostgreSQL" : address.hasPrefix("sqlite::memory:") ? "memory" : "SQLite"
  }

  private static func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
}
