internal import Bytes
internal import JourneyEngine
internal import StrictJSON
internal import WebAddresses

/// Which of the operator's providers a node of the older kind means, whose file describes a provider of its own.
///
/// The file only chooses: addresses, client id, secret, scopes and the way back are the configured provider's. So no file that somebody
/// uploads can have a configured secret, or a person's code, sent to an address that it names.
struct ProviderChoice: Sendable {
  let name: String
  let clientID: String
  private let issuer: String
  private let addresses: [(property: String, address: String)]
  private let redirectURI: String
  private let scopes: [String]
  private let hasSecret: Bool

  init(_ definition: NodeDefinition) {
    func text(_ property: String) -> String {
      definition.noteReading(property, as: "text", default: #""""#)
      return definition.properties[property]?.stringValue ?? ""
    }
    name = text("provider")
    clientID = text("clientId")
    issuer = text("issuer")
    addresses = ["authorizeEndpoint", "tokenEndpoint", "userInfoEndpoint"].map { ($0, text($0)) }
    redirectURI = text("redirectURI")
    scopes = text("scopeString").split { $0 == " " || $0 == "," }.map(String.init)
    hasSecret = !(definition.properties["clientSecret"]?.stringValue ?? "").isEmpty
  }

  /// The one of the client id, and of several the one of the name; without any, the one of the name.
  func provider(among providers: [IdentityProvider]) -> IdentityProvider? {
    let clients = clientID.isEmpty ? [] : providers.filter { $0.clientID.hasSameBytes(as: clientID) }
    if clients.count == 1 { return clients[0] }
    return (clients.isEmpty ? providers : clients).first { $0.name.hasSameBytes(as: name) }
  }

  /// For messages.
  var text: String { "with the client id \(clientID.quoted) or the name \(name.quoted)" }

  /// Differences between the file and the providers that it may choose.
  func warnings(_ providers: IdentityProviders?) -> [String] {
    var warnings: [String] = []
    if hasSecret {
      warnings.append("its client secret is not used: the configured provider has its own")
    }
    guard let providers, !providers.isEmpty else {
      return warnings + ["no identity providers are configured: give --identity-providers"]
    }
    let meant = providers.byRealm.compactMap { provider(among: $0) }
    guard !meant.isEmpty else {
      return warnings + ["no identity provider is configured \(text): it fails"]
    }
    // Realms may have different ones of the name: a warning is about what fits none of them.
    func isOther(_ fits: (IdentityProvider) -> Bool) -> Bool { !meant.contains(where: fits) }
    var others = addresses.filter { _, address in !address.isEmpty && isOther { $0.allows(address) } }
      .map(\.property)
    if !issuer.isEmpty, isOther({ $0.issuer == issuer || $0.issuer + "/" == issuer }) {
      others.append("issuer")
    }
    if !clientID.isEmpty, isOther({ $0.clientID.hasSameBytes(as: clientID) }) { others.append("clientId") }
    if !redirectURI.isEmpty, isOther({ $0.redirectURI == redirectURI }) { others.append("redirectURI") }
    if !scopes.isEmpty, isOther({ Set($0.scopes).isSuperset(of: scopes) }) { others.append("scopeString") }
    if !others.isEmpty {
      warnings.append(
        "of the file, these differ from the configured provider \(meant[0].name.quoted), whose own count: \(others.joined(separator: ", "))"
      )
    }
    return warnings
  }
}
