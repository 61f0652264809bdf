internal import Concurrency
public import Foundation
public import FRAuth
internal import PingBinding
internal import PingJourneyPlugin

/// Asks to sign with a key that was bound before.
// Adds no stored property that changes.
open class DeviceSigningVerifierCallback: MultipleValuesCallback, Binding, @unchecked Sendable {
  /// Used when this callback was not made for a node.
  private let own = PingBinding.DeviceSigningVerifierCallback()

  /// The time limit in seconds; `nil`, which means 60, when the server sets none. A limit of 0 passes at once.
  public let timeout: Int?

  /// Reads a callback of the server.
  ///
  /// - Throws: `AuthError.invalidCallbackResponse` when the challenge or the proof's input is missing.
  required public init(json: [String: Any]) throws {
    let outputs = try CallbackOutputs(json, input: Constants.jws)
    _ = try outputs.text(Constants.challenge)
    timeout = outputs.number(Constants.timeout)
    try super.init(json: json)
    _ = own.initialize(with: json)
    posted = own
  }

  private var signing: PingBinding.DeviceSigningVerifierCallback {
    posted as? PingBinding.DeviceSigningVerifierCallback ?? own
  }

  /// The user as the server names it; `nil` when the server does not know the user yet.
  public var userId: String? { signing.userId }
  /// The challenge to sign: random bytes, or the text of a transaction.
  public var challenge: String { signing.challenge }
  /// The texts shown to the person, unless the app sets others.
  public var title: String { signing.title }
  public var subtitle: String { signing.subtitle }
  public var promptDescription: String { signing.description }

  /// Sets the signed proof.
  public func setJws(_ jws: String) { signing.setJws(jws) }
  /// Sets the failure's outcome that is sent to the server. Call it after `sign` has failed.
  public func setClientError(_ clientError: String) { signing.setClientError(clientError) }

  /// Signs the server's challenge with the user's key and fills in the callback's inputs.
  ///
  /// - Parameters:
  ///   - userKeySelector: Chooses the key to sign with when there are several.
  ///   - deviceAuthenticator: Chooses the authenticator of the key's authentication type; `nil` is
  ///     ``getDeviceAuthenticator(type:)``.
  ///   - customClaims: Claims to sign as well: texts, numbers, booleans, `NSNull`, and arrays and dictionaries of these. `sub`, `exp`,
  ///     `iat`, `nbf`, `iss`, `challenge` and `txn` are reserved; `platform` replaces the proof's own.
  ///   - prompt: The texts shown to the person, in place of the server's.
  ///   - completion: Receives the result.
  @preconcurrency open func sign(
    userKeySelector: any UserKeySelector = DefaultUserKeySelector(),
    deviceAuthenticator: (@Sendable (DeviceBindingAuthenticationType) -> any DeviceAuthenticator)? = nil,
    customClaims: [String: Any] = [:], prompt: Prompt? = nil,
    completion: @escaping DeviceSigningResultCallback
  ) {
    let signing = signing
    prompt.map {
      (signing.title, signing.subtitle, signing.description) = ($0.title, $0.subtitle, $0.description)
    }
    let chosen = ChosenAuthenticator(
      choose: deviceAuthenticator ?? deviceAuthenticatorIdentifier,
      prompt: Prompt(title: title, subtitle: subtitle, description: promptDescription))
    let transferred = Transferred((userKeySelector, customClaims, chosen))
    Task {
      let result = await signing.sign { config in
        let (selector, claims, chosen) = transferred.value
        FRDeviceBinding.apply(to: config)
        config.expirationTime = { self.getExpiration(timeout: $0) }
        config.claims = claims
        if !(selector is DefaultUserKeySelector) {
          config.userKeySelector = SelectorAdapter(selector: selector)
        }
        chosen.apply(to: config, timeout: self.timeout ?? DeviceBindingCallback.standardTimeout)
      }
      switch result {
      case .success: completion(.success)
      case .failure(let error):
        handleException(status: DeviceBindingStatus(error), completion: completion)
      }
    }
  }

  /// Reports a failure to the server and the app.
  @preconcurrency open func handleException(
    status: DeviceBindingStatus, completion: @escaping DeviceSigningResultCallback
  ) {
    setClientError(status.clientError)
    completion(.failure(status))
  }

  open func getDeviceAuthenticator(type: DeviceBindingAuthenticationType) -> any DeviceAuthenticator {
    type.standardAuthenticator
  }

  open func getExpiration(timeout: Int?) -> Date { Date(timeIntervalSinceNow: TimeInterval(timeout ?? 60)) }

  open var deviceAuthenticatorIdentifier: (DeviceBindingAuthenticationType) -> any DeviceAuthenticator {
    { self.getDeviceAuthenticator(type: $0) }
  }
}
