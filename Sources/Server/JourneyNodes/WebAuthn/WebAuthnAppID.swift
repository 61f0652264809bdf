internal import JourneyEngine
internal import PublicSuffixes
internal import WebAddresses

/// The AppID under which keys were registered with U2F (FIDO AppID and Facet Specification §3), which clients are asked for by the
/// extension `appid` (WebAuthn L3 §10.1.1).
struct WebAuthnAppID: Sendable, Hashable {
  /// Exactly as it was given to U2F, because keys only know its digest.
  let text: String
  private let domain: DomainName

  /// `nil` for what is not an `https` address on a domain.
  init?(_ text: String) {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }), !text.contains("#"),
      let origin = WebOrigin(address: text), origin.isHTTPS, let domain = origin.domain
    else { return nil }
    self.text = text
    self.domain = domain
  }

  /// The property `appId`; `nil` where it is empty.
  ///
  /// - Parameter domain: the relying party's id, where the node names it.
  init?(_ definition: NodeDefinition, domain: String?) throws(JourneyFileError) {
    let text = try definition.string("appId")
    guard !text.isEmpty else { return nil }
    guard let appID = WebAuthnAppID(text) else {
      throw definition.wrong(
        "appId", "must be the https address that keys were registered under with U2F, or be empty")
    }
    guard domain.map(appID.belongs) ?? true else {
      throw definition.wrong("appId", "must be an address in the domain of the relying party")
    }
    self = appID
  }

  /// Throws unless ``belongs(to:)``.
  func check(for relyingPartyID: String) throws(NodeError) {
    guard belongs(to: relyingPartyID) else {
      throw NodeError(
        "the appId \(text) is not an address in the domain of the relying party \(relyingPartyID)")
    }
  }

  /// Whether the AppID and the relying party are one party's: the same name, or names below one registered domain. Browsers ask the same
  /// of the page (§3.1.2); here it keeps a journey's author from taking the keys of somebody else's service.
  private func belongs(to relyingPartyID: String) -> Bool {
    guard let party = DomainName(relyingPartyID) else { return false }
    guard party != domain else { return true }
    let registered = PublicSuffixes.registrableDomain(of: party)
    return registered != nil && registered == PublicSuffixes.registrableDomain(of: domain)
  }
}
