public import Foundation
internal import JourneyEngine
public import JourneyFiles
internal import JourneyNodes
internal import ProductVersion
public import ServerHTTP

/// What an operator wants to know about a server that has just started.
public struct ServerReport: Sendable {
  /// The software's version.
  public let version = ProductVersion.text

  /// Where requests are answered, such as `http://127.0.0.1:8080/am`.
  public let address: String

  /// The page on which people sign in, in their realm. On a server for this machine it is at `localhost`, because browsers do not accept
  /// passkeys at a numeric address.
  public let page: String

  /// The page for administrators.
  public let administrationPage: String

  /// The folder of database and keys; `nil` when everything is in memory.
  public let data: URL?

  /// How the connections of clients are protected, in words.
  public let transport: String

  public let realms: [Realm]

  /// The operator's journeys that did not load.
  public let unavailable: [UnavailableJourney]

  /// What became of the account `amAdmin` at this start.
  public let administrator: AdministratorState

  /// The journeys of a realm that can be started, or used by others.
  public struct Realm: Sendable {
    public let name: String

    /// Names of bundled journeys.
    public let bundled: [String]

    /// Names of journeys from the operator's folder.
    public let own: [String]
  }

  init(
    _ configuration: ServerConfiguration, port: Int, realms directory: RealmDirectory.Snapshot,
    unavailable: [UnavailableJourney], administrator: AdministratorState
  ) {
    let scheme = configuration.tls == nil ? "http" : "https"
    let host = configuration.host
    let isLocal = ServerRelyingParty.isLoopback(host)
    address = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)\(configuration.basePath)"
    let pages =
      if let url = configuration.publicURL {
        url.hasSuffix("/") ? String(url.dropLast()) : url
      } else {
        isLocal ? "\(scheme)://localhost:\(port)\(configuration.basePath)" : address
      }
    page = "\(pages)/XUI/" + (directory.forPeople.map { "?realm=\($0.realmPath)" } ?? "")
    administrationPage = "\(pages)/admin/"
    data = (try? StoreOpening.place(configuration))?.folder
    if let tls = configuration.tls {
      transport = "TLS with \(tls.certificate.path(percentEncoded: false))"
    } else if !configuration.trustedProxies.isEmpty {
      transport = "plain HTTP behind a proxy"
    } else {
      transport = isLocal ? "plain HTTP, for this machine only" : "plain HTTP"
    }
    realms = directory.names.map { realm in
      let all = directory.catalog.summaries(realm: realm)
      let isBundled = { (journey: JourneySummary) in journey.source.hasPrefix(JourneyLoading.bundledSource) }
      return Realm(
        name: realm, bundled: all.filter(isBundled).map(\.name),
        own: all.filter { !isBundled($0) }.map(\.name))
    }
    self.unavailable = unavailable
    self.administrator = administrator
  }
}

/// What a start did with the account `amAdmin`.
public enum AdministratorState: Sendable {
  /// It was created with the configured password, or with this random one.
  case created(madeUp: Secret?)

  /// It existed. ``ServerConfiguration/administratorPassword`` is for the first start only.
  ///
  /// - Parameter hasConfiguredPassword: whether its password is the configured one; `nil` when none is configured.
  case present(hasConfiguredPassword: Bool?)

  /// It does not exist, and was not created, because the root realm has another active administrator.
  case deleted
}
