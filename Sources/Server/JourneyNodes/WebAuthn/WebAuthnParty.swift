internal import Foundation
internal import JourneyEngine
internal import StrictJSON
internal import WebAuthnVerification

/// What both WebAuthn nodes share: the relying party, the origins of its clients, and the timeout.
struct WebAuthnParty: Sendable {
  /// `REQUIRED`, `PREFERRED` or `DISCOURAGED`.
  let userVerification: UserVerificationRequirement

  /// Seconds that the person has.
  let timeout: Int

  /// Whether the challenge goes out as JavaScript for a page, instead of as data for a client.
  let asScript: Bool

  /// The configured id; `nil` leaves it to the server.
  let domain: String?
  private let origins: Set<String>
  private let services: NodeServices

  /// Seconds that an answer may be late, because clients round short timeouts up and answers take time.
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
    userVerification = try definition.choice("userVerificationRequirement", default: "PREFERRED")
    timeout = try definition.timeLimit() ?? NodeDefinition.longestTimeLimit
    asScript = try definition.flag("asScript", default: true, instead: true)
  }

  /// Warnings about origins that no browser accepts for the configured domain.
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
  /// step 9, §7.2 step 12). The request that carries the answer has no influence, because it comes from the client that is being verified.
  ///
  /// - Parameter id: the id that was sent with the question.
  func party(id: String) -> RelyingParty {
    RelyingParty(
      id: id,
      origins: OriginPolicy(origins.isEmpty ? services.relyingParty().origins(for: id) : origins))
  }
}
