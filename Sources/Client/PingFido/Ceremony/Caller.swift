public import Foundation
internal import WebAddresses
internal import WebAuthnAuthenticator

/// The caller of a ceremony as this device knows it, independent of the server's messages (WebAuthn L3 §5.1.3 steps 5 to 8).
struct Caller: Sendable {
  /// The origin in client data.
  let origin: String

  /// The server and realm whose credentials are used.
  let scope: CredentialScope

  /// The origin that relying party ids are checked against; `nil` when neither app nor journey has a web address.
  private let web: WebOrigin?
  private let otherIDs: Set<String>

  /// - Parameters:
  ///   - server: The journey's server; `nil` outside a journey.
  ///   - realm: The journey's realm.
  ///   - bundleOrigin: The origin that this system gives to apps.
  init(
    config: FidoConfig, server: WebOrigin?, realm: String?, bundleOrigin: String?
  ) throws(RelyingPartyError) {
    if let origin = config.origin, origin.lowercased().hasPrefix("http"), WebOrigin(origin) == nil {
      throw RelyingPartyError(
        reason:
          "FidoConfig.origin must be an origin such as https://example.com, not \(origin.debugDescription).")
    }
    // This machine's addresses are not domains; `localhost` stands for them.
    let server = server?.namingLoopback
    web = config.origin.flatMap { WebOrigin($0) } ?? server
    guard let origin = config.origin ?? bundleOrigin ?? server?.description else {
      throw RelyingPartyError(
        reason:
          "The caller's origin is not known: set FidoConfig.origin, or use a journey that has a serverUrl."
      )
    }
    self.origin = origin
    otherIDs = config.relyingPartyIDs
    scope =
      server.map { CredentialScope(server: $0.description, realm: realm) } ?? CredentialScope(server: origin)
  }

  /// The relying party of the credential to make or use.
  ///
  /// - Parameter id: The id that the server asks for; `""` for its own host.
  func relyingPartyID(_ id: String) throws(RelyingPartyError) -> String {
    if otherIDs.contains(id) { return id }
    guard let web else {
      throw RelyingPartyError(
        reason:
          "The origin \(origin) has no host. Name the relying parties of this app in FidoConfig.relyingPartyIDs."
      )
    }
    guard web.isConfidential else {
      throw RelyingPartyError(
        reason: "WebAuthn needs https, or a server on this machine; this one is \(web).")
    }
    guard let host = web.domain else {
      throw RelyingPartyError(
        reason: "WebAuthn needs a server with a domain name; \(web) has an IP address.")
    }
    guard !id.isEmpty else { return host.ascii }
    guard let domain = DomainName(id), domain.ascii == id, domain.isRegistrableSuffixOrEqual(of: host) else {
      throw RelyingPartyError(
        reason: "The server asks for a key of \(id.debugDescription), which \(web) may not use.")
    }
    return id
  }
}

/// The caller may not act for the relying party, so nothing was looked up, made or signed (`SecurityError` of WebAuthn L3 §5.1.3
/// step 8 and §5.1.4.1 step 8). It is the `platformError()` of ``WebAuthnError/notAllowed(platformError:message:)``.
public struct RelyingPartyError: LocalizedError, Sendable, Hashable {
  /// What is wrong, and what to do.
  public let reason: String

  public var errorDescription: String? { reason }

  public var failureReason: String? { reason }

  public var recoverySuggestion: String? {
    "Check the server's address, FidoConfig.origin and FidoConfig.relyingPartyIDs."
  }
}
