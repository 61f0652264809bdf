internal import Foundation
internal import PingLogger
public import PingOrchestrate
internal import WebAuthnAuthenticator
package import WebAuthnFormats

#if canImport(AuthenticationServices)
  public import AuthenticationServices
#endif

/// Asks to sign in with a registered key. Call ``authenticate(window:)``, then continue to the next node, whatever the result.
// Its stored properties are guarded.
public class FidoAuthenticationCallback: FidoCallback, AnswerObserver, @unchecked Sendable {
  @Guarded private var options: Result<AuthenticationOptions, OptionsError> =
    .failure(OptionsError("they are missing", member: FidoConstants.FIELD_CHALLENGE))

  /// The options as dictionaries: those set by the app unchanged, those of the server as far as they can be read.
  @Guarded private var shown = JSONBox()

  /// The use of a key for which the server's answer is pending.
  @Guarded private var pending: Ceremony.OwnCredential?

  /// The server's options: `challenge`, `rpId`, `allowCredentials`, `userVerification`, `timeout`; ids and the challenge in
  /// base64url. An incomplete callback has only some of these.
  public var publicKeyCredentialRequestOptions: [String: Any] {
    get { shown.object }
    set {
      shown = JSONBox(newValue)
      options = Result { () throws(OptionsError) in try AuthenticationOptions(dictionary: newValue) }
    }
  }

  override func take(_ members: OptionsReader) {
    options = Result(catching: members.authenticationOptions)
    shown = JSONBox((try? options.get())?.dictionary ?? members.requestDictionary)
  }

  /// Signs with a key of this device's own authenticator, with the system's passkeys where available, or with the security key of
  /// ``FidoConfig/securityKey``, and fills in the hidden value.
  ///
  /// - Parameter window: The window for the system's prompt.
  /// - Returns: `rawId`, `clientDataJSON`, `authenticatorData`, `signature` and, if there is one, `userHandle` as `Data`,
  ///   `authenticatorAttachment`. On failure, which is reported to the server as well, a matching ``FidoError``, the
  ///   `ASAuthorizationError` of the system's prompt, or else a ``WebAuthnError``; ``FidoCallback/failure`` always holds
  ///   a ``WebAuthnError``.
  nonisolated(nonsending) public func authenticate(
    window: ASPresentationAnchor
  ) async -> Result<[String: Any], any Error> {
    do {
      let answer = try await answer(
        usesPasskeys: true, prefersImmediatelyAvailable: false, consent: nil, window: window)
      var members: [String: Any] = [
        FidoConstants.FIELD_RAW_ID: Data(answer.response.credentialID),
        FidoConstants.FIELD_CLIENT_DATA_JSON: Data(answer.response.clientDataJSON),
        FidoConstants.FIELD_AUTHENTICATOR_DATA: Data(answer.response.authenticatorData),
        FidoConstants.FIELD_SIGNATURE: Data(answer.response.signature),
        FidoConstants.FIELD_AUTHENTICATOR_ATTACHMENT: answer.attachment,
      ]
      members[FidoConstants.FIELD_USER_HANDLE] = answer.response.userHandle.map { Data($0) }
      return .success(members)
    } catch {
      return .failure(WebAuthnError(error).published)
    }
  }

  /// Whether the system has a passkey service, so that a passkey could replace a key of this device's own authenticator.
  package var passkeysAreAvailable: Bool { config.availablePasskeys != nil }

  /// Signs, and fills in the hidden value, also after a failure.
  ///
  /// - Throws: ``WebAuthnError``.
  nonisolated(nonsending) package func answer(
    usesPasskeys: Bool, prefersImmediatelyAvailable: Bool, consent: (any WebAuthnConsent)?,
    window: ASPresentationAnchor?
  ) async throws -> Answer<AssertionResponse> {
    pending = nil
    do {
      let options = try options.get()
      if usesPasskeys, let passkeys = config.availablePasskeys {
        let response = try await passkeys.authenticate(
          options, prefersImmediatelyAvailable: prefersImmediatelyAvailable, window: window)
        return finish(response, isPasskey: true)
      }
      let authenticated = try await ceremony(consent: consent).authenticate(options)
      if continueNode != nil { pending = authenticated.own }
      return finish(authenticated.response, isPasskey: false, attachment: authenticated.attachment)
    } catch {
      let error = WebAuthnError(error)
      handleError(error: error)
      throw error
    }
  }

  /// Completes the use of a key: an accepted key belongs to the server, and replaces the account's older keys.
  public func answered(with node: any Node) async {
    guard let used = pending, !(node is FailureNode) else { return }
    pending = nil
    guard Self.isAcceptance(node) else { return }
    do {
      try await used.authenticator.adopt(used.source, for: used.scope)
      try await used.authenticator.removePredecessors(of: used.source)
    } catch {
      logger?.w("The device's record of the key could not be updated", error: error)
    }
  }
}
