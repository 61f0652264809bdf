internal import Foundation
public import PingJourneyPlugin
internal import PingLogger
public import PingOrchestrate

/// Asks to bind a key of this device to the user. Call ``bind(config:)``, then go on to the next node, whatever it returned.
public class DeviceBindingCallback: AbstractCallback, JourneyAware, ContinueNodeAware, AnswerObserver,
  // Its stored properties are guarded.
  @unchecked Sendable
{
  @Guarded public var journey: Journey?
  @GuardedWeak public var continueNode: ContinueNode?

  /// The user as the server names it.
  @Guarded public var userId: String = ""
  /// The user's display name.
  @Guarded public var userName: String = ""
  /// What is to be signed.
  @Guarded public var challenge: String = ""
  /// What the person is told.
  @Guarded public var title: String = ""
  @Guarded public var subtitle: String = ""
  @Guarded public var description: String = ""
  /// The time limit in seconds.
  @Guarded public var timeout: Int = 60

  @Guarded private var demanded: DeviceBindingAuthenticationType?
  @Guarded private var wantsAttestation = false
  @Guarded private var ownAttestation: Attestation?
  @Guarded private var deviceNameIsSet = false
  /// The binding that waits for the server's answer.
  @Guarded private var handover: BindingHandover?

  /// What has to happen before the key signs. `.none` also when the server named a type that is not known: binding then
  /// fails as unsupported.
  public var deviceBindingAuthenticationType: DeviceBindingAuthenticationType {
    get { demanded ?? .none }
    set { demanded = newValue }
  }

  /// Whether the server wants a proof that the key is in hardware. A device that has none binds without, and the server
  /// decides; see ``DeviceBindingConfig/requiresAttestation``.
  public var attestation: Attestation {
    get { ownAttestation ?? (wantsAttestation ? .challenge(challenge) : .none) }
    set { ownAttestation = newValue }
  }

  /// What the last call failed with in detail, for example that a security chip is locked and for how long; `nil` after a
  /// success. The status that was returned is what apps decide by.
  @Guarded public private(set) var failure: (any Error)?

  /// Takes one output.
  public override func initValue(name: String, value: Any) {
    switch name {
    case Constants.userId: userId = OutputValue.string(value) ?? userId
    case Constants.username: userName = OutputValue.string(value) ?? userName
    case Constants.challenge: challenge = OutputValue.string(value) ?? challenge
    case Constants.authenticationType:
      demanded = OutputValue.string(value).flatMap(DeviceBindingAuthenticationType.init(rawValue:))
    case Constants.title: title = OutputValue.string(value) ?? title
    case Constants.subtitle: subtitle = OutputValue.string(value) ?? subtitle
    case Constants.description: description = OutputValue.string(value) ?? description
    case Constants.timeout: timeout = OutputValue.int(value) ?? timeout
    case Constants.attestation: wantsAttestation = OutputValue.bool(value) ?? wantsAttestation
    default: break
    }
  }

  /// Sets the signed proof.
  public func setJws(_ jws: String) { set(Constants.jws, jws) }

  /// Sets the identifier of this device.
  public func setDeviceId(_ deviceId: String) { set(Constants.deviceId, deviceId) }

  /// Sets what the user's list of devices calls this one. May be called before or after ``bind(config:)``, which only
  /// changes it when its configuration has a name, or when none was set here.
  public func setDeviceName(_ deviceName: String) {
    deviceNameIsSet = true
    set(Constants.deviceName, deviceName)
  }

  /// Sets what the server is told about a failure: the name of an outcome. After a failed ``bind(config:)`` it replaces the
  /// usual one.
  public func setClientError(_ clientError: String) { set(Constants.clientError, clientError) }

  /// Makes a key, signs the server's challenge with it, and fills in the callback's inputs.
  ///
  /// The user's earlier key on this device is removed when the server has taken the new one, which the node's `next()`
  /// tells. When anything fails, the server included, or the time limit passes, or the task is cancelled, the new one is
  /// removed and the earlier one stays as it was. Outside of a journey the new key replaces the earlier one at once.
  ///
  /// - Returns: The callback's JSON with its inputs filled, or a ``DeviceBindingStatus``; the inputs then tell the server
  ///   what failed. It does not throw.
  @discardableResult
  nonisolated(nonsending) public func bind(
    config: (DeviceBindingConfig) -> Void = { _ in }
  ) async -> Result<[String: Any], any Error> {
    let configuration = DeviceBindingConfig()
    configuration.deviceBindingAuthenticationType = deviceBindingAuthenticationType
    configuration.systemDeviceName = await HostName.ofPerson()
    if timeout > 0 { configuration.serverTimeout = timeout }
    config(configuration)
    let dependencies = BindingDependencies(
      config: configuration, prompt: Prompt(title: title, subtitle: subtitle, description: description),
      journey: journey, timeout: timeout, defaultTimeout: 60)
    let request = BindFlow.Request(
      userID: userId, username: userName, challenge: challenge, type: demanded, attestation: attestation)
    await withdraw()
    do {
      let answer = try await BindFlow(
        request: request, dependencies: dependencies, isAnswerObserved: continueNode != nil
      ).run()
      handover = answer.handover
      setJws(answer.jws)
      setDeviceId(answer.deviceID)
      if let name = configuration.chosenDeviceName {
        set(Constants.deviceName, name)
      } else if !deviceNameIsSet {
        set(Constants.deviceName, configuration.deviceName)
      }
      setClientError("")
      failure = nil
      return .success(payload())
    } catch {
      let status = DeviceBindingStatus(cause: error)
      failure = error
      dependencies.logger.w("Binding failed (\(status.clientError))", error: error)
      setJws("")
      setClientError(status.clientError)
      return .failure(status)
    }
  }

  /// Ends the binding that waits for the server's answer.
  public func answered(with node: any Node) async {
    guard let handover, await handover.end(with: node) else { return }
    self.handover = nil
  }

  /// Takes back an earlier call's key, which the server will now never see.
  private func withdraw() async {
    guard let handover else { return }
    self.handover = nil
    await handover.keys.rollBack(kid: handover.kid)
  }

  private func set(_ input: String, _ value: String) {
    setInput(input, to: value, logger: BindingModule.logger(for: journey))
  }
}
