public import Foundation
internal import PublicSuffixes
internal import WebAddresses
internal import WebAuthnAuthenticator

/// Who asks for a ceremony, as this device knows it: nothing of it comes from what the server sends (WebAuthn L3 §5.1.3 steps 5
/// to 8).
struct Caller: Sendable {
  /// What client data name.
  let origin: String

  /// The server and realm whose credentials take part.
  let scope: CredentialScope

  /// What relying parties' ids are measured by; `nil` when neither app nor journey has a web address.
  private let web: WebOrigin?
  private let otherIDs: Set<String>

  /// - Parameters:
  ///   - server: The address that the journey talks to; `nil` outside of a journey.
  ///   - realm: The journey's realm.
  ///   - bundleOrigin: The origin of apps on this system, which have one without being asked.
  init(
    config: FidoConfig, server: WebOrigin?, realm: String?, bundleOrigin: String?
  ) throws(RelyingPartyError) {
    if let origin = config.origin, origin.lowercased().hasPrefix("http"), WebOrigin(origin) == nil {
      throw RelyingPartyError(
        reason:
          "FidoConfig.origin must be an origin such as https://example.com, not \(origin.debugDescription).")
    }
    // The addresses of this machine are not domains: they go by their name.
    let server = server?.namingLoopback
    web = config.origin.flatMap { WebOrigin($0) } ?? server
    guard let origin = config.origin ?? bundleOrigin ?? server?.description else {
      throw RelyingPartyError(
        reason:
          "It is not known who asks for the key: set FidoConfig.origin, or use a journey that has a serverUrl."
      )
    }
    self.origin = origin
    otherIDs = config.relyingPartyIDs
    scope =
      server.map { CredentialScope(server: $0.description, realm: realm) } ?? CredentialScope(server: origin)
  }

  /// The relying party to make or use a credential of.
  ///
  /// - Parameter id: What the server asks for; `""` for its own host.
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
        reason: "WebAuthn needs a server that is reached by its name; \(web) is an address.")
    }
    guard !id.isEmpty else { return host.ascii }
    guard let domain = DomainName(id), domain.ascii == id, domain.isRegistrableSuffixOrEqual(of: host) else {
      throw RelyingPartyError(
        reason: "The server asks for a key of \(id.debugDescription), and \(web) may not use those.")
    }
    return id
  }
}

/// Why nothing was looked up, made or signed: who asks may not act for the relying party (`SecurityError` of WebAuthn L3 §5.1.3
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
