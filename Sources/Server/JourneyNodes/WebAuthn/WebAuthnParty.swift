internal import Foundation
internal import JourneyEngine
internal import StrictJSON
internal import WebAuthnVerification

/// What both WebAuthn nodes have in common: who the relying party is, where its clients may run, how long they have.
struct WebAuthnParty: Sendable {
  /// `REQUIRED`, `PREFERRED` or `DISCOURAGED`.
  let userVerification: UserVerificationRequirement

  /// Seconds that the person has.
  let timeout: Int

  /// Whether the challenge goes out as JavaScript for a page, instead of as data for a client.
  let asScript: Bool

  /// The configured id; `nil` leaves it to the server.
  private let domain: String?
  private let origins: Set<String>
  private let services: NodeServices

  /// Seconds that an answer may be late: clients round short timeouts up, and answers travel.
  static let grace: TimeInterval = 60

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    let domain = try definition.string("relyingPartyDomain").lowercased()
    guard domain.isEmpty || ServerRelyingParty.isHost(domain) else {
      throw definition.wrong(
        "relyingPartyDomain", "must be a domain such as example.com, without scheme, port and path")
    }
    self.domain = domain.isEmpty ? nil : domain
    origins = Set(try definition.strings("origins"))
    guard origins.allSatisfy({ (1...2048).contains($0.utf8.count) }) else {
      throw definition.wrong("origins", "must hold origins such as https://example.com")
    }
    let verification = try definition.string("userVerificationRequirement", default: "PREFERRED")
    guard let requirement = UserVerificationRequirement(rawValue: verification.lowercased()),
      verification == verification.uppercased()
    else {
      throw definition.wrong("userVerificationRequirement", "must be REQUIRED, PREFERRED or DISCOURAGED")
    }
    userVerification = requirement
    timeout = try definition.integer("timeout", default: 60, in: 1...3600)
    asScript = try definition.flag("asScript", default: true)
  }

  /// Origins that no browser would use for the configured domain.
  var warnings: [String] {
    guard let domain else { return [] }
    return origins.sorted().compactMap { origin in
      guard origin.hasPrefix("http"), let host = ServerRelyingParty.host(of: origin),
        !ServerRelyingParty.isWithin(host, domain)
      else { return nil }
      return "property origins: no browser at \(origin) takes part for \(domain), which is not its domain"
    }
  }

  /// The id to send: as configured, else the server's own.
  func id() throws(NodeError) -> String {
    guard let id = domain ?? services.relyingParty().id else {
      throw NodeError(
        "this server is not a relying party: start it with --public-url, or set relyingPartyDomain and origins in the WebAuthn node"
      )
    }
    return id
  }

  /// The party that judges an answer: clients may run where the node says, else where the server does (WebAuthn L3 §7.1
  /// step 9, §7.2 step 12). Nothing of the request that brings the answer counts, because the party that sends it is the
  /// one under suspicion.
  ///
  /// - Parameter id: the id that was sent with the question.
  func party(id: String) -> RelyingParty {
    RelyingParty(
      id: id,
      origins: OriginPolicy(origins.isEmpty ? services.relyingParty().origins(for: id) : origins))
  }
}
