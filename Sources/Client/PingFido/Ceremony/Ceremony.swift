internal import Concurrency
internal import Foundation
internal import PingLogger
internal import SecurityKeys
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

  /// A credential of this device's own authenticator; credentials of a security key are only in that key.
  package struct OwnCredential: Sendable {
    package let source: PublicKeyCredentialSource
    package let authenticator: Authenticator
    /// The server and realm that asked.
    let scope: CredentialScope
  }

  /// The answer to a registration.
  package struct Registered: Sendable {
    package let response: RegistrationResponse
    /// The new credential; `nil` when a security key made it.
    package let own: OwnCredential?

    var attachment: WebAuthnFormats.AuthenticatorAttachment { own == nil ? .crossPlatform : .platform }
  }

  /// The answer to an authentication.
  package struct Authenticated: Sendable {
    package let response: AssertionResponse
    /// The credential that signed; `nil` when a security key signed.
    package let own: OwnCredential?

    var attachment: WebAuthnFormats.AuthenticatorAttachment { own == nil ? .crossPlatform : .platform }
  }

  /// - Throws: ``WebAuthnError``.
  package func register(
    _ options: RegistrationOptions, deviceName: String?
  ) async throws -> Registered {
    try await limited(options.timeout) {
      try await make(options, deviceName)
    } late: { registered in
      // The server never learns of a credential that was made too late.
      if let own = registered.own { try? await own.authenticator.delete(own.source) }
    }
  }

  /// - Throws: ``WebAuthnError``.
  package func authenticate(_ options: AuthenticationOptions) async throws -> Authenticated {
    try await limited(options.timeout) { try await sign(options) }
  }

  private func make(_ options: RegistrationOptions, _ deviceName: String?) async throws -> Registered {
    let caller = try caller()
    let relyingPartyID = try caller.relyingPartyID(options.relyingPartyID)
    let clientData = ClientData(.create, challenge: options.challenge, origin: caller.origin)
    var request = MakeCredentialRequest(
      clientDataHash: clientData.hash, relyingPartyID: relyingPartyID,
      relyingPartyName: options.relyingPartyName, userHandle: options.userHandle,
      userName: options.userName, userDisplayName: options.displayName, algorithms: options.algorithms,
      excluded: options.excludeCredentials, requiresResidentKey: options.requireResidentKey,
      verifiesUser: options.userVerification == .required,
      attestation: options.attestation == .none ? .none : .direct, scope: caller.scope)
    #if os(Linux)
      if let key = config.securityKey {
        guard options.authenticatorAttachment != .platform else {
          throw AuthenticatorError.unsupported(
            "The server asks for an authenticator that is part of this device, and not for a security key.")
        }
        let made = try await key.makeCredential(request, options.userVerification.ofSecurityKey)
        return Registered(
          response: RegistrationResponse(
            clientDataJSON: clientData.json, attestationObject: made.attestationObject.encoded,
            credentialID: made.id, deviceName: deviceName), own: nil)
      }
    #endif
    let authenticator = try config.authenticator()
    guard options.authenticatorAttachment != .crossPlatform else {
      throw AuthenticatorError.unsupported(
        "The server asks for an authenticator that is not part of this device.")
    }
    request.verifiesUser = try await verifies(options.userVerification, authenticator)
    let made = try await authenticator.makeCredential(request, consent: asked)
    return Registered(
      response: RegistrationResponse(
        clientDataJSON: clientData.json, attestationObject: made.attestationObject.encoded,
        credentialID: made.source.id, deviceName: deviceName),
      own: OwnCredential(source: made.source, authenticator: authenticator, scope: caller.scope))
  }

  private func sign(_ options: AuthenticationOptions) async throws -> Authenticated {
    let caller = try caller()
    let relyingPartyID = try caller.relyingPartyID(options.relyingPartyID)
    let clientData = ClientData(.get, challenge: options.challenge, origin: caller.origin)
    var request = GetAssertionRequest(
      clientDataHash: clientData.hash, relyingPartyID: relyingPartyID, allowed: options.allowCredentials,
      verifiesUser: options.userVerification == .required, scope: caller.scope)
    #if os(Linux)
      if let key = config.securityKey {
        let assertion = try await key.getAssertion(request, options.userVerification.ofSecurityKey)
        return Authenticated(
          response: AssertionResponse(
            clientDataJSON: clientData.json, authenticatorData: assertion.authenticatorData.encoded,
            signature: assertion.signature, credentialID: assertion.credentialID,
            userHandle: assertion.userHandle), own: nil)
      }
    #endif
    let authenticator = try config.authenticator()
    request.verifiesUser = try await verifies(options.userVerification, authenticator)
    let assertion = try await authenticator.getAssertion(request, consent: asked)
    return Authenticated(
      response: AssertionResponse(
        clientDataJSON: clientData.json, authenticatorData: assertion.authenticatorData.encoded,
        signature: assertion.signature, credentialID: assertion.source.id,
        userHandle: assertion.source.userHandle),
      own: OwnCredential(source: assertion.source, authenticator: authenticator, scope: caller.scope))
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

#if os(Linux)
  extension UserVerificationRequirement {
    fileprivate var ofSecurityKey: SecurityKeyAuthenticator.Verification {
      switch self {
      case .required: .required
      case .preferred: .preferred
      case .discouraged: .discouraged
      }
    }
  }
#endif

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
