internal import Foundation
internal import JourneyNodes
internal import KeyAttestation

/// Weaknesses of a server's configuration, each with what to do about it. Shown once, at the start.
///
/// There are none for a server on loopback: there the defaults are safe.
struct StartupAdvice {
  let configuration: ServerConfiguration

  /// The names of the journeys that some realm has.
  let journeyNames: Set<String>

  /// One sentence or two each, most urgent first.
  var lines: [String] {
    [transport, address, metrics, factorChanges, possession, journeys, attestation].compactMap { $0 }
  }

  /// Whether the public URL is meant for clients on other machines.
  static func isPublic(_ configuration: ServerConfiguration) -> Bool {
    guard let url = configuration.publicURL, let host = URLComponents(string: url)?.host else { return false }
    return !ServerRelyingParty.isLoopback(host)
  }

  private var isPublic: Bool { Self.isPublic(configuration) }

  private var listensToOthers: Bool { !ServerRelyingParty.isLoopback(configuration.host) }

  /// Passwords and sessions in transit.
  private var transport: String? {
    if isPublic {
      guard configuration.publicURL?.lowercased().hasPrefix("http://") == true else { return nil }
      return """
        Clients connect by plain HTTP (--public-url): others on the network can read passwords and sessions. Use https.
        """
    }
    guard listensToOthers, configuration.tls == nil, configuration.trustedProxies.isEmpty else { return nil }
    return """
      \(configuration.host) is reached from other machines by plain HTTP (--insecure-http): others on the network can read \
      passwords and sessions. Use TLS (--tls-certificate, --tls-key) or a proxy with TLS (--trusted-proxy), or listen on 127.0.0.1.
      """
  }

  private var address: String? {
    guard listensToOthers, configuration.publicURL == nil else { return nil }
    return """
      Other machines reach \(configuration.host), and there is no --public-url: browsers use WebAuthn at localhost only, and \
      enrolment codes contain any host that a request names. Set --public-url https://HOST/am.
      """
  }

  private var metrics: String? {
    let host = configuration.metricsHost
    guard configuration.metricsPort != nil, configuration.metricsFactory == nil,
      !ServerRelyingParty.isLoopback(host)
    else { return nil }
    return """
      Everyone who reaches \(host) can read the metrics (--metrics-host): how busy the server is, and which limits are reached. Let \
      only your monitoring through.
      """
  }

  private var factorChanges: String? {
    configuration.factorChanges.warning(publicURL: configuration.publicURL, realms: configuration.realms)
  }

  private var possession: String? {
    let names = offered(BundledJourneys.possessionOnly)
    guard isPublic, !names.isEmpty else { return nil }
    return """
      \(names.joined(separator: ", ")) is offered on a public address: after it, possession of the device alone signs in. Leave it out of \
      --bundled-journeys unless you want that.
      """
  }

  private var journeys: String? {
    guard isPublic, !configuration.bundledJourneys.isChosen else { return nil }
    return """
      The bundled journeys are offered on a public address. Choose with --bundled-journeys: login, none, names, or all \
      (docs/journeys.md).
      """
  }

  private var attestation: String? {
    let names = offered(["BindDeviceAttested"])
    guard isPublic, configuration.attestation.trustsNothing, !names.isEmpty else { return nil }
    return """
      \(names.joined(separator: ", ")) asks for attested keys, and no roots are trusted: it binds nothing. Name some with --tpm-roots or \
      --android-roots, or leave it out of --bundled-journeys.
      """
  }

  /// Those of `names` that some realm has.
  private func offered(_ names: Set<String>) -> [String] { names.intersection(journeyNames).sorted() }
}
