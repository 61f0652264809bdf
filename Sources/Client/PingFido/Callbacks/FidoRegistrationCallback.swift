internal import Foundation
internal import PingLogger
public import PingOrchestrate
internal import WebAuthnAuthenticator
package import WebAuthnFormats

#if canImport(AuthenticationServices)
  public import AuthenticationServices
#endif

/// Asks to register a key. Call ``register(deviceName:window:)``, then go on to the next node, whatever it returned.
// Its stored properties are guarded.
public class FidoRegistrationCallback: FidoCallback, AnswerObserver, @unchecked Sendable {
  @Guarded private var options: Result<RegistrationOptions, OptionsError> =
    .failure(OptionsError("there are none", member: FidoConstants.FIELD_CHALLENGE))

  /// The options as dictionaries: the app's own as they stand, the server's as far as they can be read.
  @Guarded private var shown = JSONBox()

  /// The credential that waits for the server's answer.
  @Guarded private var pending: Ceremony.Registered?

  /// The server's options: `rp`, `user`, `challenge`, `pubKeyCredParams`, `timeout`, `excludeCredentials`,
  /// `authenticatorSelection`, `attestation`; ids and the challenge in base64url. Of a callback that lacks something, what it has.
  public var publicKeyCredentialCreationOptions: [String: Any] {
    get { shown.object }
    set {
      shown = JSONBox(newValue)
      do throws(OptionsError) { options = .success(try RegistrationOptions(dictionary: newValue)) } catch {
        options = .failure(error)
      }
    }
  }

  override func take(_ members: OptionsReader) {
    do throws(OptionsError) {
      let read = try members.registrationOptions()
      (options, shown) = (.success(read), JSONBox(read.dictionary))
    } catch {
      (options, shown) = (.failure(error), JSONBox(members.creationDictionary))
    }
  }

  /// Registers a key with this device's own authenticator, or with the system's passkeys where there are some, and fills in the
  /// hidden value.
  ///
  /// The person is asked by ``FidoConfig/consent``, and by the system. When the server refuses the answer, the new key is
  /// removed; when it takes it, older ones of the same account, server and realm are. Outside of a journey the app says which it
  /// was: ``Fido/confirm(rawId:)``, ``Fido/withdraw(rawId:)``.
  ///
  /// - Parameters:
  ///   - deviceName: What the user's list of devices calls this one.
  ///   - window: Where the system shows its prompt.
  /// - Returns: `rawId`, `clientDataJSON`, `attestationObject` as `Data`, `authenticatorAttachment`. Or why there is no key, which the
  ///   server is told, too: a ``FidoError`` where there is one for it, the system's `ASAuthorizationError` where its prompt failed, else
  ///   a ``WebAuthnError``; ``FidoCallback/failure`` is the latter in each case.
  nonisolated(nonsending) public func register(
    deviceName: String? = nil, window: ASPresentationAnchor
  ) async -> Result<[String: Any], any Error> {
    do {
      let answer = try await answer(
        deviceName: deviceName, usesPasskeys: true, consent: nil, window: window)
      return .success([
        FidoConstants.FIELD_RAW_ID: Data(answer.response.credentialID),
        FidoConstants.FIELD_CLIENT_DATA_JSON: Data(answer.response.clientDataJSON),
        FidoConstants.FIELD_ATTESTATION_OBJECT: Data(answer.response.attestationObject),
        FidoConstants.FIELD_AUTHENTICATOR_ATTACHMENT:
          FidoConstants.FIELD_AUTHENTICATOR_ATTACHMENT_PLATFORM,
      ])
    } catch {
      return .failure(WebAuthnError(error).published)
    }
  }

  /// What a registration answers.
  package struct Answer: Sendable {
    package let response: RegistrationResponse
    /// The hidden value.
    package let outcome: String
    /// Whether the system's passkey service answered.
    package let isPasskey: Bool
  }

  /// Registers a key, and fills in the hidden value either way.
  ///
  /// - Throws: ``WebAuthnError``.
  nonisolated(nonsending) package func answer(
    deviceName: String?, usesPasskeys: Bool, consent: (any WebAuthnConsent)?, window: ASPresentationAnchor?
  ) async throws -> Answer {
    await withdraw()
    do {
      let options = try options.get()
      if usesPasskeys, let passkeys = config.availablePasskeys {
        var response = try await passkeys.register(options, window: window)
        response.deviceName = deviceName
        return finish(response, isPasskey: true)
      }
      let registered = try await ceremony(consent: consent).register(options, deviceName: deviceName)
      // Without a step to answer, the app says what the server made of it: `Fido.confirm` and `withdraw`.
      if continueNode != nil { pending = registered }
      return finish(registered.response, isPasskey: false)
    } catch {
      let error = WebAuthnError(error)
      handleError(error: error)
      throw error
    }
  }

  private func finish(_ response: RegistrationResponse, isPasskey: Bool) -> Answer {
    let outcome = ClientOutcome.completed(response, attachment: .platform).text(asJSON: supportsJsonResponse)
    succeed(outcome)
    return Answer(response: response, outcome: outcome, isPasskey: isPasskey)
  }

  /// Ends the registration that waits for the server's answer.
  public func answered(with node: any Node) async {
    guard let registered = pending, !(node is FailureNode) else { return }
    pending = nil
    if node is ErrorNode {
      await remove(registered)
    } else if Self.isAcceptance(node) {
      await complete(registered)
    }
  }

  /// Takes back an earlier call's key, which the server will now never see.
  private func withdraw() async {
    guard let registered = pending else { return }
    pending = nil
    await remove(registered)
  }

  private func remove(_ registered: Ceremony.Registered) async {
    do { try await registered.authenticator.delete(registered.source) } catch {
      logger?.w("The key of a failed registration could not be removed", error: error)
    }
  }

  private func complete(_ registered: Ceremony.Registered) async {
    do { try await registered.authenticator.removePredecessors(of: registered.source) } catch {
      logger?.w("The keys that the new one stands in for could not be removed", error: error)
    }
  }
}
