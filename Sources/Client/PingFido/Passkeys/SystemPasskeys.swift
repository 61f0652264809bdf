#if canImport(AuthenticationServices)
  public import AuthenticationServices
  internal import Concurrency
  internal import Foundation
  public import WebAuthnFormats

  /// Apple's passkeys, through the system's own prompts.
  public struct SystemPasskeys: PasskeyProvider {
    public init() {}

    public var isAvailable: Bool { true }

    @MainActor public func register(
      _ options: RegistrationOptions, window: PresentationAnchor?
    ) async throws -> RegistrationResponse {
      let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
        relyingPartyIdentifier: options.relyingPartyID)
      let request = provider.createCredentialRegistrationRequest(
        challenge: Data(options.challenge), name: options.userName, userID: Data(options.userHandle))
      request.userVerificationPreference = options.userVerification.preference
      request.attestationPreference = .init(rawValue: options.attestation.rawValue)
      let answer = try await SystemPrompt(window).perform(request, milliseconds: options.timeout)
      guard let made = answer as? ASAuthorizationPlatformPublicKeyCredentialRegistration,
        let object = made.rawAttestationObject
      else { throw WebAuthnError.badData(platformError: FidoError.invalidResponse, message: Self.unexpected) }
      return RegistrationResponse(
        clientDataJSON: Array(made.rawClientDataJSON), attestationObject: Array(object),
        credentialID: Array(made.credentialID))
    }

    @MainActor public func authenticate(
      _ options: AuthenticationOptions, prefersImmediatelyAvailable: Bool, window: PresentationAnchor?
    ) async throws -> AssertionResponse {
      let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
        relyingPartyIdentifier: options.relyingPartyID)
      let request = provider.createCredentialAssertionRequest(challenge: Data(options.challenge))
      request.userVerificationPreference = options.userVerification.preference
      request.allowedCredentials = options.allowCredentials.map {
        ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: Data($0))
      }
      let answer = try await SystemPrompt(window).perform(
        request, milliseconds: options.timeout, prefersImmediatelyAvailable: prefersImmediatelyAvailable)
      guard let assertion = answer as? ASAuthorizationPlatformPublicKeyCredentialAssertion,
        let data = assertion.rawAuthenticatorData, let signature = assertion.signature
      else { throw WebAuthnError.badData(platformError: FidoError.invalidResponse, message: Self.unexpected) }
      return AssertionResponse(
        clientDataJSON: Array(assertion.rawClientDataJSON), authenticatorData: Array(data),
        signature: Array(signature), credentialID: Array(assertion.credentialID),
        userHandle: assertion.userID.map { Array($0) })
    }

    private static let unexpected = "The system returned an unexpected kind of credential."
  }

  extension UserVerificationRequirement {
    fileprivate var preference: ASAuthorizationPublicKeyCredentialUserVerificationPreference {
      .init(rawValue: rawValue)
    }
  }

  /// One system prompt, which is removed when the time is up or the task is cancelled.
  @MainActor
  private final class SystemPrompt: NSObject, ASAuthorizationControllerDelegate,
    ASAuthorizationControllerPresentationContextProviding
  {
    private let window: PresentationAnchor
    private let first = FirstAnswer<Result<Void, any Error>>()
    private var credential: (any ASAuthorizationCredential)?

    init(_ window: PresentationAnchor?) throws {
      guard let window else {
        throw WebAuthnError.unknown(
          platformError: FidoError.invalidWindow, message: "There is no window for the system's prompt.")
      }
      self.window = window
    }

    func perform(
      _ request: ASAuthorizationRequest, milliseconds: Int, prefersImmediatelyAvailable: Bool = false
    ) async throws -> (any ASAuthorizationCredential)? {
      let controller = ASAuthorizationController(authorizationRequests: [request])
      controller.delegate = self
      controller.presentationContextProvider = self
      if prefersImmediatelyAvailable {
        controller.performRequests(options: .preferImmediatelyAvailableCredentials)
      } else {
        controller.performRequests()
      }
      let first = first
      do {
        try await withTimeLimit(milliseconds: milliseconds, on: ContinuousClock()) {
          try await withTaskCancellationHandler {
            try await first.value.get()
          } onCancel: {
            first.give(.failure(CancellationError()))
          }
        }
      } catch {
        controller.cancel()
        throw WebAuthnError(system: error)
      }
      return credential
    }

    func authorizationController(
      controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
      credential = authorization.credential
      first.give(.success(()))
    }

    func authorizationController(
      controller: ASAuthorizationController, didCompleteWithError error: any Error
    ) {
      first.give(.failure(error))
    }

    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { window }
  }

  extension WebAuthnError {
    /// The ceremony's error for an error of the system.
    fileprivate init(system error: any Error) {
      guard let failure = error as? ASAuthorizationError else {
        self.init(error)
        return
      }
      self =
        switch failure.code {
        case .canceled, .invalidResponse, .failed: .notAllowed(platformError: failure, message: nil)
        case .notHandled, .notInteractive, .matchedExcludedCredential:
          .invalidState(platformError: failure, message: nil)
        default: .unknown(platformError: failure, message: nil)
        }
    }
  }
#endif
