import PingBinding
import PingJourney
import PingJourneyPlugin
import PingOrchestrate

/// Binds this device to an account, and signs payments with the device's key.
public struct Payments: Sendable {
  /// Why nothing was bound or paid.
  public enum Failure: Error, Equatable {
    /// The server said no, with this message.
    case refused(String)
    /// The device's side failed: cancelled, a wrong PIN, no key.
    case device(DeviceBindingStatus)
    /// The server was not reached, or asked what this app cannot answer.
    case broken(String)
  }

  private let journey: @Sendable () -> Journey
  private let configure: @Sendable (DeviceBindingConfig) -> Void

  /// - Parameters:
  ///   - journey: Makes a client of the server, one for each payment.
  ///   - configure: Sets who asks for the PIN, and the application's id.
  public init(
    journey: @escaping @Sendable () -> Journey,
    configure: @escaping @Sendable (DeviceBindingConfig) -> Void
  ) {
    self.journey = journey
    self.configure = configure
  }

  /// Makes a key on this device for the account of `username`. Asks for a new PIN.
  public func bind(_ username: String, password: String) async throws {
    try await play("BindDevice", username: username, password: password)
  }

  /// Has the person sign `text`, and the server verify the signature. Asks for the PIN.
  public func sign(_ text: String) async throws { try await play("SignTransaction", text: text) }

  private func play(
    _ name: String, username: String = "", password: String = "", text: String = ""
  ) async throws {
    var failure: DeviceBindingStatus?
    var node = await journey().start(name)
    while let step = node as? ContinueNode {
      for callback in step.callbacks {
        let result: Result<[String: Any], any Error>
        switch callback {
        case let callback as NameCallback:
          callback.name = username
          continue
        case let callback as PasswordCallback:
          callback.password = password
          continue
        case let callback as TextInputCallback:
          callback.text = text
          continue
        case let callback as DeviceBindingCallback: result = await callback.bind(config: configure)
        case let callback as DeviceSigningVerifierCallback: result = await callback.sign(config: configure)
        default: throw Failure.broken("The server asks for \(type(of: callback)).")
        }
        if case .failure(let error) = result { failure = error as? DeviceBindingStatus ?? .abort }
      }
      // Also after a failure: the server decides what it means.
      node = await step.next()
    }
    if let failure { throw Failure.device(failure) }
    switch node {
    case is SuccessNode: return
    case let error as ErrorNode: throw Failure.refused(error.message)
    default: throw Failure.broken("\(node)")
    }
  }
}
