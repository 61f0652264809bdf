internal import Concurrency
public import Foundation
public import FRAuth
internal import PingBinding
internal import PingJourneyPlugin

/// Asks to bind a key of this device to the user.
// Adds no stored property that changes.
open class DeviceBindingCallback: MultipleValuesCallback, Binding, @unchecked Sendable {
  /// Used when this callback was not made for a node.
  private let own = PingBinding.DeviceBindingCallback()

  /// The time limit in seconds; `nil`, which means 60, when the server sets none. A limit of 0 passes at once.
  public let timeout: Int?

  static let standardTimeout = 60

  /// Reads a callback of the server.
  ///
  /// - Throws: `AuthError.invalidCallbackResponse` when user id, authentication type, challenge or the proof's input is missing.
  required public init(json: [String: Any]) throws {
    let outputs = try CallbackOutputs(json, input: Constants.jws)
    _ = try outputs.text(Constants.userId)
    _ = try outputs.text(Constants.challenge)
    let type = try outputs.text(Constants.authenticationType)
    guard DeviceBindingAuthenticationType(rawValue: type) != nil else {
      throw AuthError.invalidCallbackResponse("Unknown \(Constants.authenticationType)")
    }
    timeout = outputs.number(Constants.timeout)
    try super.init(json: json)
    _ = own.initialize(with: json)
    posted = own
  }

  private var binding: PingBinding.DeviceBindingCallback {
    posted as? PingBinding.DeviceBindingCallback ?? own
  }

  /// The user as the server names it.
  public var userId: String { binding.userId }
  /// The user's display name.
  public var userName: String { binding.userName }
  /// The challenge to sign.
  public var challenge: String { binding.challenge }
  /// How the key is unlocked before it signs.
  public var deviceBindingAuthenticationType: DeviceBindingAuthenticationType {
    DeviceBindingAuthenticationType(binding.deviceBindingAuthenticationType)
  }
  /// The texts shown to the person, unless the app sets others.
  public var title: String { binding.title }
  public var subtitle: String { binding.subtitle }
  public var promptDescription: String { binding.description }

  /// Sets the signed proof.
  public func setJws(_ jws: String) { binding.setJws(jws) }
  /// Sets this device's name in the user's list of devices, before or after `bind`.
  public func setDeviceName(_ deviceName: String) { binding.setDeviceName(deviceName) }
  /// Sets the identifier of this device.
  public func setDeviceId(_ deviceId: String) { binding.setDeviceId(deviceId) }
  /// Sets the failure's outcome that is sent to the server. Call it after `bind` has failed.
  public func setClientError(_ clientError: String) { binding.setClientError(clientError) }

  /// Makes a key, signs the server's challenge with it, and fills in the callback's inputs.
  ///
  /// - Parameters:
  ///   - deviceAuthenticator: Chooses the authenticator of an authentication type; `nil` is ``getDeviceAuthenticator(type:)``.
  ///   - prompt: The texts shown to the person, in place of the server's.
  ///   - completion: Receives the result.
  @preconcurrency open func bind(
    deviceAuthenticator: (@Sendable (DeviceBindingAuthenticationType) -> any DeviceAuthenticator)? = nil,
    prompt: Prompt? = nil, completion: @escaping DeviceBindingResultCallback
  ) {
    let binding = binding
    prompt.map {
      (binding.title, binding.subtitle, binding.description) = ($0.title, $0.subtitle, $0.description)
    }
    let chosen = ChosenAuthenticator(
      choose: deviceAuthenticator ?? deviceAuthenticatorIdentifier,
      prompt: Prompt(title: title, subtitle: subtitle, description: promptDescription))
    let transferred = Transferred(chosen)
    Task {
      let result = await binding.bind { config in
        FRDeviceBinding.apply(to: config)
        config.expirationTime = { self.getExpiration(timeout: $0) }
        transferred.value.apply(to: config, timeout: timeout ?? Self.standardTimeout)
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
    status: DeviceBindingStatus, completion: @escaping DeviceBindingResultCallback
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
