#if canImport(AuthenticationServices)
  public import AuthenticationServices
  internal import Concurrency
  internal import PingOrchestrate

  /// A ``Fido`` call whose answer is pending.
  struct WaitingCall: Sendable {
    let window: ASPresentationAnchor
    let answer: FirstAnswer<Result<JSONBox, any Error>>
  }

  /// For apps that show the system's prompt with their own controller: with the ``Fido`` as its delegate, the controller answers the
  /// pending call. The prompts of ``Fido/register(options:window:completion:)`` and
  /// ``Fido/authenticate(options:window:completion:)`` do not need this.
  extension Fido: ASAuthorizationControllerDelegate, ASAuthorizationControllerPresentationContextProviding {
    /// The window of the pending call.
    @MainActor public func presentationAnchor(
      for controller: ASAuthorizationController
    ) -> ASPresentationAnchor {
      waiting.withLock { $0?.window } ?? ASPresentationAnchor()
    }

    /// Completes the pending call with the system's credential.
    @MainActor public func authorizationController(
      controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
      end(with: Self.members(of: authorization.credential))
    }

    /// Completes the pending call with the system's error.
    @MainActor public func authorizationController(
      controller: ASAuthorizationController, didCompleteWithError error: any Error
    ) {
      end(with: .failure(error))
    }

    private func end(with result: Result<JSONBox, any Error>) {
      _ = waiting.withLock { $0 }?.answer.give(result)
    }

    private static func members(
      of credential: any ASAuthorizationCredential
    ) -> Result<JSONBox, any Error> {
      switch credential {
      case let made as ASAuthorizationPlatformPublicKeyCredentialRegistration:
        guard let object = made.rawAttestationObject else { return .failure(FidoError.invalidResponse) }
        return .success(
          JSONBox([
            FidoConstants.FIELD_RAW_ID: made.credentialID,
            FidoConstants.FIELD_CLIENT_DATA_JSON: made.rawClientDataJSON,
            FidoConstants.FIELD_ATTESTATION_OBJECT: object,
          ]))
      case let assertion as ASAuthorizationPlatformPublicKeyCredentialAssertion:
        guard let data = assertion.rawAuthenticatorData, let signature = assertion.signature else {
          return .failure(FidoError.invalidResponse)
        }
        var members: [String: Any] = [
          FidoConstants.FIELD_RAW_ID: assertion.credentialID,
          FidoConstants.FIELD_CLIENT_DATA_JSON: assertion.rawClientDataJSON,
          FidoConstants.FIELD_AUTHENTICATOR_DATA: data, FidoConstants.FIELD_SIGNATURE: signature,
        ]
        members[FidoConstants.FIELD_USER_HANDLE] = assertion.userID
        return .success(JSONBox(members))
      default: return .failure(FidoError.invalidResponse)
      }
    }
  }
#endif
