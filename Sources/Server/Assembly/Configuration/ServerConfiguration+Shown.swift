internal import Accounts
internal import Foundation
internal import ProductVersion
internal import ServerHTTP

extension ServerConfiguration {
  /// The effective configuration for the administration's page, without secrets and their places, under the names of the options of
  /// `sealring serve` where one exists.
  ///
  /// - Parameter listening: the port that is listened on, once it is known.
  func shown(port listening: Int?) -> [(name: String, value: String)] {
    var settings: [(name: String, value: String)] = [
      ("version", ProductVersion.text), ("host", host),
      ("port", String(listening ?? port)),
      ("tls", tls == nil ? "off" : "on"), ("public-url", publicURL ?? "–"),
      ("realms", realms.joined(separator: ", ")),
      (
        "database",
        database.map(Self.kind(ofDatabase:))
          ?? (dataDirectory == nil ? "memory" : "SQLite")
      ),
      ("journeys", journeysDirectory?.path(percentEncoded: false) ?? "–"),
      ("watch", Self.word(watchesJourneys)),
      ("journey-review", journeyReview.rawValue),
      ("journey-timeout", "\(Int(journeyTimeout)) s"),
      ("session idle time", "\(Int(sessionIdleTime)) s"),
      ("session lifetime", "\(Int(sessionLifetime)) s"),
      ("factor-changes", factorChanges.standard?.rawValue ?? "any"),
      ("password-minimum", String(passwordMinimum)),
      ("ledger-lanes", String(ledgerLanes)),
      ("metrics-port", Self.word(metricsPort != nil)),
      ("otlp-endpoint", Self.word(traceEndpoint != nil)),
      ("scripts", Self.word(scripts.program != nil)),
      ("rate-limit", limits.requestsPerAddress.map { "\($0)/min" } ?? "off"),
    ]
    for (realm, requirement) in factorChanges.realms.sorted(by: { $0.key < $1.key }) {
      settings.append(("factor-changes \(realm)", requirement.rawValue))
    }
    return settings
  }

  /// Addresses of databases may have passwords in them.
  static func kind(ofDatabase address: String) -> String {
    address.hasPrefix("postgres") ? "PostgreSQL" : address.hasPrefix("sqlite::memory:") ? "memory" : "SQLite"
  }

  private static func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
}
