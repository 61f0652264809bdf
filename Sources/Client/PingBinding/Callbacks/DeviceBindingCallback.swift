internal import Foundation
internal import PingJourneyPlugin
internal import PingLogger
public import PingOrchestrate

/// Asks to bind a key of this device to the user. Call ``bind(config:)``, then continue to the next node, whatever the result.
// Its stored properties are guarded.
public class DeviceBindingCallback: BindingCallback, AnswerObserver, @unchecked Sendable {
  /// The user as the server names it.
  @Guarded public var userId: String = ""
  /// The user's display name.
  @Guarded public var userName: String = ""
  /// The time limit in seconds.
  @Guarded public var timeout: Int = 60

  /// The authentication type that the server demands; `nil` when it names an unknown one.
  @Guarded private var demanded: DeviceBindingAuthenticationType? = DeviceBindingAuthenticationType.none
  @Guarded private var wantsAttestation = false
  @Guarded private var ownAttestation: Attestation?
  @Guarded private var deviceNameIsSet = false
  /// The binding that waits for the server's answer.
  @Guarded private var handover: BindingHandover?

  /// How the key is unlocked before it signs; `.none` when the server names no type, as in the published SDK. Also `.none` when the server
  /// names an unknown type; binding then fails as unsupported.
  public var deviceBindingAuthenticationType: DeviceBindingAuthenticationType {
    get { demanded ?? .none }
    set { demanded = newValue }
  }

  /// Whether the server asks for a proof that the key is in hardware. A device that cannot give one binds without it, and the
  /// server decides; see ``DeviceBindingConfig/requiresAttestation``.
  public var attestation: Attestation {
    get { ownAttestation ?? (wantsAttestation ? .challenge(challenge) : .none) }
    set { ownAttestation = newValue }
  }

  public override func initValue(name: String, value: Any) {
    switch name {
    case Constants.userId: userId = OutputValue.string(value) ?? userId
    case Constants.username: userName = OutputValue.string(value) ?? userName
    case Constants.authenticationType where !(value is NSNull):
      demanded = OutputValue.string(value).flatMap(DeviceBindingAuthenticationType.init(rawValue:))
    case Constants.timeout: timeout = OutputValue.int(value) ?? timeout
    case Constants.attestation: wantsAttestation = OutputValue.bool(value) ?? wantsAttestation
    default: super.initValue(name: name, value: value)
    }
  }

  /// Sets the identifier of this device.
  public func setDeviceId(_ deviceId: String) { set(Constants.deviceId, deviceId) }

  /// Sets this device's name in the user's list of devices. May be called before or after ``bind(config:)``, which changes the name
  /// only when its configuration has one, or when none was set here.
  public func setDeviceName(_ deviceName: String) {
    deviceNameIsSet = true
    set(Constants.deviceName, deviceName)
  }

  /// Makes a key, signs the server's challenge with it, and fills in the callback's inputs.
  ///
  /// The user's earlier key on this device is removed once the server has accepted the new one, after the node's `next()`. When
  /// a step fails here or on the server, the time limit passes, or the task is cancelled, the new key is removed and the earlier
  /// key stays unchanged. Outside a journey the new key replaces the earlier one at once.
  ///
  /// - Returns: The callback's JSON with its inputs filled, or a ``DeviceBindingStatus``; the inputs then tell the server about
  ///   the failure.
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
      setDeviceId(answer.deviceID)
      if let name = configuration.chosenDeviceName {
        set(Constants.deviceName, name)
      } else if !deviceNameIsSet {
        set(Constants.deviceName, configuration.deviceName)
      }
      return succeed(answer.jws)
    } catch {
      return fail("Binding", error, logger: dependencies.logger)
    }
  }

  /// Ends the binding that waits for the server's answer.
  public func answered(with node: any Node) async {
    guard let handover, await handover.end(with: node) else { return }
    self.handover = nil
  }

  /// Removes an earlier call's key, whose proof will not be sent.
  private func withdraw() async {
    guard let handover else { return }
    self.handover = nil
    await handover.keys.rollBack(kid: handover.kid)
  }
}
