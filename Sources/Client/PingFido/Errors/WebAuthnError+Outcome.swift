internal import Foundation
internal import SecurityKeys
internal import WebAuthnAuthenticator
internal import WebAuthnFormats

#if canImport(AuthenticationServices)
  internal import AuthenticationServices
#endif

/// The only place that maps failures to ``WebAuthnError``, and those to outcomes for the server.
extension WebAuthnError {
  /// The ceremony's error for `error`.
  public init(_ error: any Error) {
    switch error {
    case let error as WebAuthnError: self = error
    case let error as AuthenticatorError: self = Self.meaning(of: error)
    case let error as OptionsError: self = .badData(platformError: error, message: error.description)
    case let error as FidoError: self = Self.meaning(of: error)
    case let error as RelyingPartyError: self = .notAllowed(platformError: error, message: error.reason)
    case let error as SecurityKeyError: self = Self.meaning(of: error)
    case is CancellationError: self = .cancelled(platformError: nil, message: "The ceremony was cancelled.")
    default: self = .unknown(platformError: error, message: nil)
    }
  }

  private static func meaning(of error: SecurityKeyError) -> WebAuthnError {
    let message = error.errorDescription
    return switch error {
    case .untouched: .timeout(platformError: error, message: message)
    case .registered: .invalidState(platformError: error, message: message)
    case .pinNotSet: .constraint(platformError: error, message: message)
    case .unusable, .full: .unsupported(platformError: error, message: message)
    case .misbehaved: .unknown(platformError: error, message: message)
    case .noPIN: .cancelled(platformError: error, message: message)
    case .noKey, .severalKeys, .notPermitted, .wrongPIN, .pinPaused, .pinBlocked, .removed, .declined,
      .noCredential:
      .notAllowed(platformError: error, message: message)
    }
  }

  private static func meaning(of error: FidoError) -> WebAuthnError {
    switch error {
    case .timeout: .timeout(platformError: nil, message: error.errorDescription)
    case .unsupportedAction: .unsupported(platformError: nil, message: error.errorDescription)
    case .invalidWindow: .unknown(platformError: error, message: error.errorDescription)
    case .invalidChallenge, .invalidResponse, .invalidAction, .missingParameters:
      .badData(platformError: error, message: error.errorDescription)
    }
  }

  /// The error of the published methods: the system's error when its prompt failed, a matching ``FidoError``, or else this error,
  /// because ``FidoError`` has no case for a refusal.
  var published: any Error {
    #if canImport(AuthenticationServices)
      if let error = platformError() as? ASAuthorizationError { return error }
    #endif
    if let error = platformError() as? FidoError { return error }
    switch self {
    case .timeout: return FidoError.timeout
    case .unsupported: return FidoError.unsupportedAction(errorDescription ?? "")
    case .badData(platformError: let error as OptionsError, _):
      return error.member == FidoConstants.FIELD_CHALLENGE
        ? FidoError.invalidChallenge : FidoError.missingParameters(error.description)
    case .badData, .badOperation, .invalidState, .constraint, .cancelled, .notAllowed, .unknown: return self
    }
  }

  /// An excluded credential follows WebAuthn L3 §6.3.2 step 3: with the person's consent the server learns of it
  /// (`invalidState`), without it the refusal looks like any other (`notAllowed`). The published guide prints these two the other
  /// way round.
  private static func meaning(of error: AuthenticatorError) -> WebAuthnError {
    let message = error.localizedDescription
    return switch error {
    case .excluded(consented: true): .invalidState(platformError: nil, message: message)
    case .excluded(consented: false): .notAllowed(platformError: nil, message: "The person did not agree.")
    case .unsupported: .unsupported(platformError: nil, message: message)
    case .constraint: .constraint(platformError: nil, message: message)
    case .declined: .cancelled(platformError: nil, message: message)
    case .notAllowed: .notAllowed(platformError: nil, message: message)
    case .failed(let cause): .unknown(platformError: cause, message: nil)
    }
  }

  /// The hidden value `webAuthnOutcome`: `unsupported`, or `ERROR::<name>:<text>` with a name that AM knows.
  ///
  /// It does not reveal the reason of a refusal.
  public func convertToWebAuthnOutcome() -> String {
    let outcome: ClientOutcome<RegistrationResponse> =
      if let name { .failed(ClientError(name, outcomeText)) } else { .unsupported }
    return outcome.text(asJSON: false)
  }

  /// `nil` for ``unsupported``, which has no name.
  private var name: ClientError.Name? {
    switch self {
    case .notAllowed(platformError: is RelyingPartyError, _): .security
    case .badData: .data
    case .invalidState: .invalidState
    case .constraint: .constraint
    case .timeout: .timeout
    case .cancelled, .notAllowed: .notAllowed
    case .badOperation, .unknown: .unknown
    case .unsupported: nil
    }
  }

  private var isRefusal: Bool {
    switch self {
    case .cancelled, .notAllowed: true
    default: false
    }
  }

  private var outcomeText: String {
    // The server must not learn the paths and names of this machine's keys, or what libfido2 reports.
    if !isRefusal, platformError() is SecurityKeyError { return "The security key could not be used." }
    return switch self {
    case .notAllowed(platformError: is RelyingPartyError, _): "The operation is insecure."
    case .cancelled, .notAllowed: FidoConstants.ERROR_NOT_ALLOWED_MESSAGE
    default: platformError()?.localizedDescription ?? message() ?? ""
    }
  }
}
