public import PingJourneyPlugin
internal import PingLogger
public import PingOrchestrate

/// The base of ``DeviceBindingCallback`` and ``DeviceSigningVerifierCallback``.
// Its stored properties are guarded.
public class BindingCallback: AbstractCallback, JourneyAware, ContinueNodeAware, @unchecked Sendable {
  @Guarded public var journey: Journey?
  @GuardedWeak public var continueNode: ContinueNode?

  /// The challenge to sign: random bytes, a text, or the digest of a transaction.
  @Guarded public var challenge: String = ""
  /// The texts shown to the person.
  @Guarded public var title: String = ""
  @Guarded public var subtitle: String = ""
  @Guarded public var description: String = ""

  /// The detailed error of the last call, for example that a security chip is locked and for how long; `nil` after a success.
  /// Apps should act on the returned status.
  @Guarded public private(set) var failure: (any Error)?

  public override func initValue(name: String, value: Any) {
    switch name {
    case Constants.challenge: challenge = OutputValue.string(value) ?? challenge
    case Constants.title: title = OutputValue.string(value) ?? title
    case Constants.subtitle: subtitle = OutputValue.string(value) ?? subtitle
    case Constants.description: description = OutputValue.string(value) ?? description
    default: break
    }
  }

  /// Sets the signed proof.
  public func setJws(_ jws: String) { set(Constants.jws, jws) }

  /// Sets the failure's outcome that is sent to the server. After a failed call it replaces the default one.
  public func setClientError(_ clientError: String) { set(Constants.clientError, clientError) }

  /// Puts `value` into the input whose name ends with `suffix`. Names begin with `IDToken` and the callback's position.
  func set(_ suffix: String, _ value: String) {
    let inputs = json[JourneyConstants.input] as? [[String: Any]] ?? []
    let names = inputs.compactMap { $0[JourneyConstants.name] as? String }
    guard let name = names.first(where: { $0.hasSuffix(suffix) }) else {
      BindingModule.logger(for: journey).w(
        "The server's callback has no input \(suffix), so its value is not sent", error: nil)
      return
    }
    _ = input(value, forKey: name)
  }

  /// Fills in the proof, and returns the callback's JSON.
  func succeed(_ jws: String) -> Result<[String: Any], any Error> {
    setJws(jws)
    setClientError("")
    failure = nil
    return .success(payload())
  }

  /// Fills in the outcome of `error`, and returns its status.
  func fail(
    _ operation: String, _ error: any Error, clientError: String? = nil, logger: any Logger
  ) -> Result<[String: Any], any Error> {
    let status = DeviceBindingStatus(cause: error)
    failure = error
    logger.w("\(operation) failed (\(status.clientError))", error: error)
    setJws("")
    setClientError(clientError ?? status.clientError)
    return .failure(status)
  }
}
