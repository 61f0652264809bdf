internal import Bytes
internal import Foundation
internal import JourneyEngine
internal import WebAddresses
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
      return "property origins: \(origin) is not within \(domain), so no browser there takes part"
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

  /// The callbacks that ask for an answer to a challenge, which the node and scripts see from now on.
  func question(
    _ challenge: WebAuthnChallenge, script: @autoclosure () -> String,
    metadata: @autoclosure () -> JSONObject, in context: inout NodeContext
  ) -> [OutgoingCallback] {
    context.notes = challenge.notes
    context.state.shared[WebAuthnState.challenge] = .string(challenge.text)
    let question =
      asScript
      ? [script(), WebAuthnScript.spinner].map { StandardCallback.text($0, type: 4) }
      : [WebAuthnCallback.metadata(metadata())]
    return question + [WebAuthnCallback.outcome]
  }

  /// The relying party by which an answer is verified: clients may run at the node's origins or, if it names none, at the server's
  /// (WebAuthn L3 §7.1 step 9, §7.2 step 12). The request that carries the answer has no influence, because it comes from the client that
  /// is being verified.
  ///
  /// - Parameter id: the id that was sent with the question.
  func party(id: String) -> RelyingParty {
    RelyingParty(
      id: id,
      origins: OriginPolicy(origins.isEmpty ? services.relyingParty().origins(for: id) : origins))
  }
}

/// The relying party (WebAuthn L3 §4) that WebAuthn nodes speak for when they name none themselves, and the origins of its
/// clients. Fixed when the server starts: no request changes it.
public struct ServerRelyingParty: Sendable, Hashable {
  /// The relying party's id; `nil` when nodes must name one.
  let id: String?

  /// The server's own origins, and those that were configured besides.
  private let origins: Set<String>

  /// No relying party: nodes must name theirs.
  public init() {
    id = nil
    origins = []
  }

  /// The relying party of a server with a public address: its host, for clients at exactly that origin.
  ///
  /// - Parameters:
  ///   - publicURL: such as `https://id.example.com/am`.
  ///   - more: further origins, such as `android:apk-key-hash:…` of an app.
  public init(publicURL: String, origins more: [String] = []) {
    id = Self.host(of: publicURL).map(Self.name(of:))
    origins = Set(more).union(Self.origin(of: publicURL).map { [$0] } ?? [])
  }

  /// The relying party of a server without a public address: the name that it listens on, else `localhost`, at that port. An IP address
  /// cannot be a relying party, so clients name `localhost` when they call an address of this machine.
  ///
  /// - Parameters:
  ///   - port: the port that is listened on.
  ///   - scheme: `http` or `https`.
  ///   - more: further origins, as above.
  public init(listeningOn host: String, port: Int, scheme: String = "http", origins more: [String] = []) {
    let host = host.lowercased()
    let name = Self.isHost(host) && host.contains { $0.isLetter } ? host : "localhost"
    id = name
    // The second is the origin of clients without a page, which know the id but not the server's address.
    origins = Set(["\(scheme)://\(name):\(port)", "https://\(name)"] + more)
  }

  /// The origins at which clients of the relying party `id` may run: the server's origins; for a domain that a node names, those of them
  /// within it, and the domain's own origin.
  func origins(for id: String) -> Set<String> {
    if id == self.id { return origins }
    return origins.filter { origin in
      guard origin.hasPrefix("http") else { return true }
      return Self.host(of: origin).map { Self.isWithin($0, id) } ?? false
    }.union(["https://\(id)"])
  }

  /// Whether only this machine reaches `host`.
  package static func isLoopback(_ host: String) -> Bool {
    let host = host.lowercased()
    return ["localhost", "::1", "[::1]"].contains(host) || host.hasSuffix(".localhost")
      || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
  }

  private static func name(of host: String) -> String { isLoopback(host) ? "localhost" : host }

  // MARK: Names

  /// Whether a page of `host` may act for the relying party `id` (WebAuthn L3 §5.1.3 step 8).
  static func isWithin(_ host: String, _ id: String) -> Bool { host == id || host.hasSuffix("." + id) }

  /// The host of a URL or origin in lower case; `nil` for what cannot be a relying party's id.
  static func host(of url: String) -> String? {
    guard url.utf8.count <= 2048, let host = URLComponents(string: url)?.host?.lowercased(), isHost(host)
    else { return nil }
    return host
  }

  private static func origin(of url: String) -> String? {
    guard let url = URLComponents(string: url), let scheme = url.scheme?.lowercased(),
      let host = url.host?.lowercased()
    else { return nil }
    return "\(scheme)://\(name(of: host))" + (url.port.map { ":\($0)" } ?? "")
  }

  static func isHost(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count) && !text.hasPrefix(".") && !text.hasSuffix(".")
      && text == text.lowercased()
      && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }
  }
}

/// The AppID under which keys were registered with U2F (FIDO AppID and Facet Specification §3), which clients are asked for by the
/// extension `appid` (WebAuthn L3 §10.1.1).
struct WebAuthnAppID: Sendable, Hashable {
  /// Exactly as it was given to U2F, because keys only know its digest.
  let text: String
  private let domain: DomainName

  /// `nil` for a text that is not an `https` address on a domain.
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
