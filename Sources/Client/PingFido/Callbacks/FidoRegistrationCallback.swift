internal import Foundation
internal import PingLogger
public import PingOrchestrate
internal import WebAuthnAuthenticator
package import WebAuthnFormats

#if canImport(AuthenticationServices)
  public import AuthenticationServices
#endif

/// Asks to register a key. Call ``register(deviceName:window:)``, then continue to the next node, whatever the result.
// Its stored properties are guarded.
public class FidoRegistrationCallback: FidoCallback, AnswerObserver, @unchecked Sendable {
  @Guarded private var options: Result<RegistrationOptions, OptionsError> =
    .failure(OptionsError("they are missing", member: FidoConstants.FIELD_CHALLENGE))

  /// The options as dictionaries: those set by the app unchanged, those of the server as far as they can be read.
  @Guarded private var shown = JSONBox()

  /// The credential for which the server's answer is pending.
  @Guarded private var pending: Ceremony.OwnCredential?

  /// The server's options: `rp`, `user`, `challenge`, `pubKeyCredParams`, `timeout`, `excludeCredentials`,
  /// `authenticatorSelection`, `attestation`; ids and the challenge in base64url. An incomplete callback has only some of these.
  public var publicKeyCredentialCreationOptions: [String: Any] {
    get { shown.object }
    set {
      shown = JSONBox(newValue)
      options = Result { () throws(OptionsError) in try RegistrationOptions(dictionary: newValue) }
    }
  }

  override func take(_ members: OptionsReader) {
    options = Result(catching: members.registrationOptions)
    shown = JSONBox((try? options.get())?.dictionary ?? members.creationDictionary)
  }

  /// Registers a key with this device's own authenticator, with the system's passkeys where available, or with the security key of
  /// ``FidoConfig/securityKey``, and fills in the hidden value.
  ///
  /// ``FidoConfig/consent`` and the system ask the person. When the server refuses the answer, the new key is removed; when it
  /// accepts, older keys of the same account, server and realm are removed. Outside a journey the app reports the server's answer
  /// with ``Fido/confirm(rawId:)`` or ``Fido/withdraw(rawId:)``.
  ///
  /// - Parameters:
  ///   - deviceName: This device's name in the user's list of devices.
  ///   - window: The window for the system's prompt.
  /// - Returns: `rawId`, `clientDataJSON`, `attestationObject` as `Data`, `authenticatorAttachment`. On failure, which is reported to
  ///   the server as well, a matching ``FidoError``, the `ASAuthorizationError` of the system's prompt, or else a ``WebAuthnError``;
  ///   ``FidoCallback/failure`` always holds a ``WebAuthnError``.
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
        FidoConstants.FIELD_AUTHENTICATOR_ATTACHMENT: answer.attachment,
      ])
    } catch {
      return .failure(WebAuthnError(error).published)
    }
  }

  /// Registers a key, and fills in the hidden value, also after a failure.
  ///
  /// - Throws: ``WebAuthnError``.
  nonisolated(nonsending) package func answer(
    deviceName: String?, usesPasskeys: Bool, consent: (any WebAuthnConsent)?, window: ASPresentationAnchor?
  ) async throws -> Answer<RegistrationResponse> {
    await withdraw()
    do {
      let options = try options.get()
      if usesPasskeys, let passkeys = config.availablePasskeys {
        var response = try await passkeys.register(options, window: window)
        response.deviceName = deviceName
        return finish(response, isPasskey: true)
      }
      let registered = try await ceremony(consent: consent).register(options, deviceName: deviceName)
      // Outside a journey, the app reports the server's answer with `Fido.confirm` or `withdraw`.
      if continueNode != nil { pending = registered.own }
      return finish(registered.response, isPasskey: false, attachment: registered.attachment)
    } catch {
      let error = WebAuthnError(error)
      handleError(error: error)
      throw error
    }
  }

  /// Completes the registration for which the server's answer is pending.
  public func answered(with node: any Node) async {
    guard let registered = pending, !(node is FailureNode) else { return }
    pending = nil
    if node is ErrorNode { await remove(registered) }
    guard Self.isAcceptance(node) else { return }
    do { try await registered.authenticator.removePredecessors(of: registered.source) } catch {
      logger?.w("The keys that the new key replaces could not be removed", error: error)
    }
  }

  /// Removes an earlier call's key, whose answer will not be sent.
  private func withdraw() async {
    guard let registered = pending else { return }
    pending = nil
    await remove(registered)
  }

  private func remove(_ registered: Ceremony.OwnCredential) async {
    do { try await registered.authenticator.delete(registered.source) } catch {
      logger?.w("The key of a failed registration could not be removed", error: error)
    }
  }
}
