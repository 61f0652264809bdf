internal import Foundation
internal import JourneyEngine
internal import StrictJSON
internal import WebAddresses
internal import WebAuthnVerification

/// What both WebAuthn nodes have in common: who the relying party is, where its clients may run, how long they have.
struct WebAuthnParty: Sendable {
  /// `REQUIRED`, `PREFERRED` or `DISCOURAGED`.
  let userVerification: UserVerificationRequirement

  /// Seconds that the person has.
  let timeout: Int

  /// Whether the challenge goes out as JavaScript for a page, instead of as data for a client.
  let asScript: Bool

  /// The configured id; `nil` leaves it to the request.
  private let domain: String?
  private let origins: Set<String>

  /// Seconds that an answer may be late: clients round short timeouts up, and answers travel.
  static let grace: TimeInterval = 60

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    let domain = try definition.string("relyingPartyDomain").lowercased()
    guard domain.isEmpty || Self.isHost(domain) else {
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
      guard origin.hasPrefix("http"), let host = Self.host(of: origin),
        host != domain, !host.hasSuffix("." + domain)
      else { return nil }
      return "property origins: no browser at \(origin) takes part for \(domain), which is not its domain"
    }
  }

  /// The id to send: as configured, else the host of the `Origin` header, else the host of the server's address.
  func id(for request: RequestFacts) throws(NodeError) -> String {
    guard
      let id = domain ?? Self.origin(of: request).flatMap(Self.host)
        ?? Self.host(of: Self.address(of: request))
    else {
      throw NodeError(
        "the relying party's id is unknown; set relyingPartyDomain in the WebAuthn node, or the server's public URL"
      )
    }
    return id
  }

  /// The party that judges an answer which comes with `request`.
  ///
  /// - Parameter id: the id that was sent with the question.
  func party(id: String, for request: RequestFacts) -> RelyingParty {
    RelyingParty(id: id, origins: OriginPolicy(allowedOrigins(id: id, request)))
  }

  /// As configured, else the `Origin` header, which browsers do not let pages choose. Clients that send none are native
  /// ones: for them, unless it is configured otherwise, the id's own origin and the server's.
  private func allowedOrigins(id: String, _ request: RequestFacts) -> Set<String> {
    if !origins.isEmpty { return origins }
    if let origin = Self.origin(of: request) { return [origin] }
    var allowed: Set = ["https://\(id)"]
    allowed.insert(Self.address(of: request))
    return allowed
  }

  /// The server's origin. The addresses of this machine go by its name, `localhost`, as clients have them: an address is no
  /// relying party (WebAuthn L3 §5.1.2).
  private static func address(of request: RequestFacts) -> String {
    WebOrigin(address: request.baseURL)?.namingLoopback.description ?? request.baseURL
  }

  private static func origin(of request: RequestFacts) -> String? {
    request.headers["origin"].flatMap { $0 == "null" || host(of: $0) == nil ? nil : $0 }
  }

  private static func host(of url: String) -> String? {
    guard url.utf8.count <= 2048, let host = URLComponents(string: url)?.host?.lowercased(), isHost(host)
    else { return nil }
    return host
  }

  private static func isHost(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count) && !text.hasPrefix(".") && !text.hasSuffix(".")
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
