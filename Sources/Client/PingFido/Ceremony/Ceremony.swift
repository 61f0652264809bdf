internal import Concurrency
internal import Foundation
internal import PingLogger
package import WebAddresses
package import WebAuthnAuthenticator
package import WebAuthnFormats

/// The client's part of a ceremony (WebAuthn L3 §5.1): checks the options, makes the client data, and calls the authenticator within
/// the time limit.
package struct Ceremony: Sendable {
  package var config: FidoConfig

  /// Asks the person; `nil` is the configuration's consent.
  package var consent: (any AuthenticatorConsent)?

  /// Whether the callback comes from AM 7.0 or older, which expects another origin.
  package var isBeforeActions = false

  /// The journey's server; `nil` outside a journey.
  package var server: WebOrigin?

  /// The journey's realm.
  package var realm: String?

  package init(config: FidoConfig, consent: (any AuthenticatorConsent)? = nil) {
    self.config = config
    self.consent = consent
  }

  /// The answer of this device's own authenticator to a registration.
  package struct Registered: Sendable {
    package let response: RegistrationResponse
    package let source: PublicKeyCredentialSource
    package let authenticator: Authenticator
  }

  /// Its answer to an authentication.
  package struct Authenticated: Sendable {
    package let response: AssertionResponse
    package let source: PublicKeyCredentialSource
    package let authenticator: Authenticator
    /// The server and realm that asked.
    package let scope: CredentialScope
  }

  /// - Throws: ``WebAuthnError``.
  package func register(
    _ options: RegistrationOptions, deviceName: String?
  ) async throws -> Registered {
    try await limited(options.timeout) {
      try await make(options, deviceName)
    } late: { registered in
      // The server never learns of it.
      try? await registered.authenticator.delete(registered.source)
    }
  }

  /// - Throws: ``WebAuthnError``.
  package func authenticate(_ options: AuthenticationOptions) async throws -> Authenticated {
    try await limited(options.timeout) { try await sign(options) }
  }

  private func make(_ options: RegistrationOptions, _ deviceName: String?) async throws -> Registered {
    let caller = try caller()
    let relyingPartyID = try caller.relyingPartyID(options.relyingPartyID)
    let authenticator = try config.authenticator()
    guard options.authenticatorAttachment != .crossPlatform else {
      throw AuthenticatorError.unsupported(
        "The server asks for an authenticator that is not part of this device.")
    }
    let clientData = ClientData(.create, challenge: options.challenge, origin: caller.origin)
    let made = try await authenticator.makeCredential(
      MakeCredentialRequest(
        clientDataHash: clientData.hash, relyingPartyID: relyingPartyID,
        relyingPartyName: options.relyingPartyName, userHandle: options.userHandle,
        userName: options.userName, userDisplayName: options.displayName, algorithms: options.algorithms,
        excluded: options.excludeCredentials, requiresResidentKey: options.requireResidentKey,
        verifiesUser: try await verifies(options.userVerification, authenticator),
        attestation: options.attestation == .none ? .none : .direct, scope: caller.scope), consent: asked)
    return Registered(
      response: RegistrationResponse(
        clientDataJSON: clientData.json, attestationObject: made.attestationObject.encoded,
        credentialID: made.source.id, deviceName: deviceName), source: made.source,
      authenticator: authenticator)
  }

  private func sign(_ options: AuthenticationOptions) async throws -> Authenticated {
    let caller = try caller()
    let relyingPartyID = try caller.relyingPartyID(options.relyingPartyID)
    let authenticator = try config.authenticator()
    let clientData = ClientData(.get, challenge: options.challenge, origin: caller.origin)
    let assertion = try await authenticator.getAssertion(
      GetAssertionRequest(
        clientDataHash: clientData.hash, relyingPartyID: relyingPartyID, allowed: options.allowCredentials,
        verifiesUser: try await verifies(options.userVerification, authenticator), scope: caller.scope),
      consent: asked)
    return Authenticated(
      response: AssertionResponse(
        clientDataJSON: clientData.json, authenticatorData: assertion.authenticatorData.encoded,
        signature: assertion.signature, credentialID: assertion.source.id,
        userHandle: assertion.source.userHandle), source: assertion.source, authenticator: authenticator,
      scope: caller.scope)
  }

  private var asked: AbandoningConsent {
    AbandoningConsent(consent: consent ?? config.consent ?? NoConsent())
  }

  /// Whether to verify the person; `preferred` means where the device can (§5.1.3 step 19).
  private func verifies(
    _ requirement: UserVerificationRequirement, _ authenticator: Authenticator
  ) async throws -> Bool {
    switch requirement {
    case .discouraged: return false
    case .preferred: return try await authenticator.canVerifyUser()
    case .required:
      guard try await authenticator.canVerifyUser() else {
        throw AuthenticatorError.unsupported(
          "The server requires user verification, and this device has neither a reader nor a password for it."
        )
      }
      return true
    }
  }

  private func caller() throws(RelyingPartyError) -> Caller {
    var bundleOrigin: String?
    #if canImport(Darwin)
      bundleOrigin = Bundle.main.bundleIdentifier.map {
        isBeforeActions ? "https://\($0)" : "ios:bundle-id:\($0)"
      }
    #endif
    return try Caller(config: config, server: server, realm: realm, bundleOrigin: bundleOrigin)
  }

  private func limited<Value: Sendable>(
    _ milliseconds: Int, _ body: @escaping @Sendable () async throws -> Value,
    late: @escaping @Sendable (Value) async -> Void = { _ in }
  ) async throws -> Value {
    do {
      return try await withTimeLimit(milliseconds: milliseconds, on: config.clock, body, late: late)
    } catch {
      throw WebAuthnError(error)
    }
  }
}

/// Runs `body` within the time limit of a ceremony, 5 to 300 seconds, all prompts included: cancels it when the time is up, and
/// waits for its end.
///
/// - Parameters:
///   - milliseconds: The server's limit; a limit that is not positive counts as 60 seconds.
///   - late: Receives the result of a `body` that succeeded even though it was cancelled.
/// - Throws: ``WebAuthnError/timeout(platformError:message:)``, `CancellationError`, or what `body` throws.
func withTimeLimit<Value: Sendable>(
  milliseconds: Int, on clock: any Clock<Duration>, _ body: @escaping @Sendable () async throws -> Value,
  late: @escaping @Sendable (Value) async -> Void = { _ in }
) async throws -> Value {
  let limit = milliseconds > 0 ? Duration.milliseconds(min(max(milliseconds, 5000), 300_000)) : .seconds(60)
  return try await firstOf(
    body, orAfter: limit, on: clock,
    throwing: WebAuthnError.timeout(platformError: nil, message: "The time for this step ran out."),
    late: late)
}
