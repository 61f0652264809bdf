internal import Accounts
internal import Foundation
internal import JourneyFiles
internal import JourneyNodes
internal import KeyAttestation
internal import Operations

/// Weaknesses of a server's configuration, each with what to do about it. Shown once, at the start.
///
/// A server on loopback has none, because its defaults are safe. Only simulated services are reported everywhere.
struct StartupAdvice {
  let configuration: ServerConfiguration

  /// The names of the journeys that some realm has.
  let journeyNames: Set<String>

  /// One sentence or two each, most urgent first.
  var phrases: [Phrase] {
    let all = [
      simulation, transport, address, path, metrics, factorChanges, possession, journeys, attestation,
    ]
    return all.compactMap { $0 }
  }

  /// Whether the public URL is meant for clients on other machines.
  static func isPublic(_ configuration: ServerConfiguration) -> Bool {
    guard let url = configuration.publicURL, let host = URLComponents(string: url)?.host else { return false }
    return !ServerRelyingParty.isLoopback(host)
  }

  private var isPublic: Bool { Self.isPublic(configuration) }

  /// Whether neither the server nor a proxy that it knows speaks TLS.
  private var speaksPlainly: Bool { configuration.tls == nil && configuration.trustedProxies.isEmpty }

  private var listensToOthers: Bool { !ServerRelyingParty.isLoopback(configuration.host) }

  private var simulation: Phrase? {
    guard !configuration.simulation.isEmpty else { return nil }
    return Phrase("startup.simulated", ["services": configuration.simulation.summary])
  }

  /// Passwords and sessions in transit.
  private var transport: Phrase? {
    if isPublic {
      if configuration.publicURL?.lowercased().hasPrefix("http://") == true {
        return Phrase("startup.plainPublic")
      }
      return speaksPlainly ? Phrase("startup.promisedTLS") : nil
    }
    guard listensToOthers, speaksPlainly else { return nil }
    return Phrase("startup.plainHost", ["host": configuration.host])
  }

  private var address: Phrase? {
    guard listensToOthers, configuration.publicURL == nil else { return nil }
    return Phrase("startup.noPublicURL", ["host": configuration.host])
  }

  private var path: Phrase? {
    guard isPublic, let path = configuration.publicURL.flatMap({ URLComponents(string: $0)?.path }),
      path.split(separator: "/") != configuration.basePath.split(separator: "/")
    else { return nil }
    return Phrase("startup.otherPath", ["path": path, "base": configuration.basePath])
  }

  private var metrics: Phrase? {
    let host = configuration.metricsHost
    guard configuration.metricsPort != nil, configuration.metricsFactory == nil,
      !ServerRelyingParty.isLoopback(host)
    else { return nil }
    return Phrase("startup.openMetrics", ["host": host])
  }

  var factorChanges: Phrase? {
    let open = configuration.factorChanges.open(configuration.realms)
    guard configuration.isReachableByOthers, !open.isEmpty else { return nil }
    let realms = ["realms": open.joined(separator: ", ")]
    return Phrase(open.count == 1 ? "startup.openRealm" : "startup.openRealms", realms)
  }

  private var possession: Phrase? {
    let names = offered(BundledJourneys.possessionOnly)
    guard isPublic, !names.isEmpty else { return nil }
    return Phrase("startup.possession", ["journeys": names.joined(separator: ", ")])
  }

  private var journeys: Phrase? {
    guard isPublic, !configuration.bundledJourneys.isChosen else { return nil }
    return Phrase("startup.allJourneys")
  }

  private var attestation: Phrase? {
    let names = offered(["BindDeviceAttested"])
    guard isPublic, configuration.attestation.trustsNothing, !names.isEmpty else { return nil }
    return Phrase("startup.noRoots", ["journeys": names.joined(separator: ", ")])
  }

  /// The subset of `names` that some realm has.
  private func offered(_ names: Set<String>) -> [String] { names.intersection(journeyNames).sorted() }
}
