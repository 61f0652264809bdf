internal import Foundation
internal import PingLogger
public import PingOrchestrate
internal import WebAuthnAuthenticator
package import WebAuthnFormats

#if canImport(AuthenticationServices)
  public import AuthenticationServices
#endif

/// Asks to sign in with a registered key. Call ``authenticate(window:)``, then go on to the next node, whatever it returned.
// Its stored properties are guarded.
public class FidoAuthenticationCallback: FidoCallback, AnswerObserver, @unchecked Sendable {
  @Guarded private var options: Result<AuthenticationOptions, OptionsError> =
    .failure(OptionsError("there are none", member: FidoConstants.FIELD_CHALLENGE))

  /// The options as dictionaries: the app's own as they stand, the server's as far as they can be read.
  @Guarded private var shown = JSONBox()

  /// The use of a key that waits for the server's answer.
  @Guarded private var pending: Ceremony.Authenticated?

  /// The server's options: `challenge`, `rpId`, `allowCredentials`, `userVerification`, `timeout`; ids and the challenge in
  /// base64url. Of a callback that lacks something, what it has.
  public var publicKeyCredentialRequestOptions: [String: Any] {
    get { shown.object }
    set {
      shown = JSONBox(newValue)
      do throws(OptionsError) { options = .success(try AuthenticationOptions(dictionary: newValue)) } catch {
        options = .failure(error)
      }
    }
  }

  override func take(_ members: OptionsReader) {
    do throws(OptionsError) {
      let read = try members.authenticationOptions()
      (options, shown) = (.success(read), JSONBox(read.dictionary))
    } catch {
      (options, shown) = (.failure(error), JSONBox(members.requestDictionary))
    }
  }

  /// Signs with a key of this device's own authenticator, or with the system's passkeys where there are some, and fills in the
  /// hidden value.
  ///
  /// - Parameter window: Where the system shows its prompt.
  /// - Returns: `rawId`, `clientDataJSON`, `authenticatorData`, `signature` and, if there is one, `userHandle` as `Data`,
  ///   `authenticatorAttachment`. Or why nothing was signed, which the server is told, too: a ``FidoError`` where there is one for it,
  ///   the system's `ASAuthorizationError` where its prompt failed, else a ``WebAuthnError``; ``FidoCallback/failure`` is the latter in
  ///   each case.
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
        FidoConstants.FIELD_AUTHENTICATOR_ATTACHMENT:
          FidoConstants.FIELD_AUTHENTICATOR_ATTACHMENT_PLATFORM,
      ]
      members[FidoConstants.FIELD_USER_HANDLE] = answer.response.userHandle.map { Data($0) }
      return .success(members)
    } catch {
      return .failure(WebAuthnError(error).published)
    }
  }

  /// What an authentication answers.
  package struct Answer: Sendable {
    package let response: AssertionResponse
    /// The hidden value.
    package let outcome: String
    /// Whether the system's passkey service answered.
    package let isPasskey: Bool
  }

  /// Whether the system has a passkey service, so that a key of this device's own authenticator could be replaced by a passkey.
  package var passkeysAreAvailable: Bool { config.availablePasskeys != nil }

  /// Signs, and fills in the hidden value either way.
  ///
  /// - Throws: ``WebAuthnError``.
  nonisolated(nonsending) package func answer(
    usesPasskeys: Bool, prefersImmediatelyAvailable: Bool, consent: (any WebAuthnConsent)?,
    window: ASPresentationAnchor?
  ) async throws -> Answer {
    pending = nil
    do {
      let options = try options.get()
      if usesPasskeys, let passkeys = config.availablePasskeys {
        let response = try await passkeys.authenticate(
          options, prefersImmediatelyAvailable: prefersImmediatelyAvailable, window: window)
        return finish(response, isPasskey: true)
      }
      let authenticated = try await ceremony(consent: consent).authenticate(options)
      if continueNode != nil { pending = authenticated }
      return finish(authenticated.response, isPasskey: false)
    } catch {
      let error = WebAuthnError(error)
      handleError(error: error)
      throw error
    }
  }

  /// Ends the use of a key: one that the server has accepted is the server's, and stands in for older ones of the same account.
  public func answered(with node: any Node) async {
    guard let used = pending, !(node is FailureNode) else { return }
    pending = nil
    guard Self.isAcceptance(node) else { return }
    do {
      try await used.authenticator.adopt(used.source, for: used.scope)
      try await used.authenticator.removePredecessors(of: used.source)
    } catch {
      logger?.w("What the device keeps of the key could not be brought up to date", error: error)
    }
  }

  private func finish(_ response: AssertionResponse, isPasskey: Bool) -> Answer {
    let outcome = ClientOutcome.completed(response, attachment: .platform).text(asJSON: supportsJsonResponse)
    succeed(outcome)
    return Answer(response: response, outcome: outcome, isPasskey: isPasskey)
  }
}
