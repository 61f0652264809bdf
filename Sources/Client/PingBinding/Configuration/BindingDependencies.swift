internal import DeviceKeys
internal import Foundation
internal import PingDeviceId
internal import PingJourneyPlugin
internal import PingLogger
internal import SigningTransactions
internal import UserVerification

/// What one `bind()` or `sign()` works with: the callback's and the app's settings, checked and made one.
// Holds the app's objects, which need not be Sendable. The value is made on the caller's actor when the app's closure has
// returned, and then handed to the one task that carries the operation out.
struct BindingDependencies: @unchecked Sendable {
  let config: DeviceBindingConfig
  let prompt: Prompt
  let journey: Journey?
  let logger: any Logger
  /// In seconds; goes into `exp`.
  let timeout: Int
  let deadline: Deadline
  let storage: UserKeysStorage
  /// Where keys are made for and looked up; `nil` outside of a journey.
  let scope: KeyScope?
  /// The `iss` of what is signed.
  let applicationID: String

  /// The longest time limit in seconds: a day.
  private static let longestTimeout = 86_400

  init(config: DeviceBindingConfig, prompt: Prompt, journey: Journey?, timeout: Int, defaultTimeout: Int) {
    self.config = config
    self.journey = journey
    scope = KeyScope(journey: journey)
    logger = BindingModule.logger(for: journey)
    // A limit that is not a time at all is one that was not set.
    let server = timeout > 0 ? timeout : defaultTimeout
    let app = config.chosenTimeout.flatMap { $0 > 0 ? $0 : nil } ?? server
    self.timeout = min(app, Self.longestTimeout)
    var prompt = prompt.asked(by: scope)
    prompt.timeLimit = self.timeout
    prompt.end = Self.end(of: prompt, timeout: self.timeout, now: config.now())
    self.prompt = prompt
    deadline = Deadline(seconds: self.timeout, clock: config.clock)
    storage = UserKeysStorage(config: config.userKeyStorage)
    applicationID = ApplicationID.chosen(config.applicationId, logger: logger)
  }

  /// When the person's answer comes too late. A transaction that was over before it was offered has another clock's end, which says nothing here.
  private static func end(of prompt: Prompt, timeout: Int, now: Date) -> Date {
    let step = now + TimeInterval(timeout)
    guard let end = prompt.transactionContext?.expiresAt, end > now else { return step }
    return min(step, end)
  }

  /// What the person is told, with what this device knows.
  func prompt(account: String?) -> Prompt {
    var prompt = prompt
    prompt.account = account.flatMap { $0.isEmpty ? nil : $0 }
    prompt.application = applicationID
    return prompt
  }

  /// The store of private keys.
  func keyStore() throws -> any DeviceKeyStore { try config.keyStore ?? StandardStores.keyStore() }

  /// What keeps the authorisation values of biometric keys.
  func vault() -> AuthorizationVault { config.authorizationVault ?? StandardStores.vault() }

  /// Identifies this device to the server.
  func deviceID() async throws -> String {
    try await (config.deviceIdentifier ?? DefaultDeviceIdentifier()).id
  }

  /// What makes and unlocks keys of `type`, ready to use.
  ///
  /// - Parameters:
  ///   - account: The name of the key's user, for the prompt.
  ///   - isBinding: Whether a key is to be made; then it is found out beforehand whether it could be used.
  ///   - attestation: What is wanted of that key.
  func authenticator(
    type: DeviceBindingAuthenticationType, userID: String, keyStore: any DeviceKeyStore, isBinding: Bool,
    account: String? = nil, attestation: Attestation = .none
  ) async throws -> any DeviceAuthenticator {
    var authenticator =
      config.deviceAuthenticator ?? config.makeDeviceAuthenticator?(type) ?? standardAuthenticator(type)
    authenticator.journey = journey
    if let authenticator = authenticator as? DefaultDeviceAuthenticator {
      var keyDependencies = keyDependencies(
        keyStore, attestation: attestation == .none ? .available : await keyStore.attestationAvailability())
      if isBinding, authenticator.type().isBiometric, !keyStore.verifiesPerson {
        keyDependencies.personProblem = try await keyDependencies.unlocking(
          type: authenticator.type(), reason: "", BiometricAuthenticatorConfig()
        ).problem()
      }
      authenticator.prepare(keyDependencies)
    }
    authenticator.initialize(userId: userID, prompt: prompt(account: account))
    return authenticator
  }

  /// What an authenticator works with.
  func keyDependencies(_ keyStore: any DeviceKeyStore, attestation: KeyStoreAvailability) -> KeyDependencies {
    KeyDependencies(
      keyStore: keyStore, storage: storage, scope: scope, logger: logger, makeID: config.makeID,
      pinCollector: config.pinCollector, verifiers: verifiers(), attestation: attestation, now: config.now)
  }

  private func verifiers() -> PersonVerifiers {
    PersonVerifiers(
      biometric: config.biometricVerifier, credential: config.deviceCredentialVerifier,
      credentialSource: config.credentialSource, progress: config.biometricProgress, vault: vault())
  }

  private func standardAuthenticator(_ type: DeviceBindingAuthenticationType) -> any DeviceAuthenticator {
    let config = config.authenticatorConfig
    return switch type {
    case .none:
      NoneAuthenticator()
    case .applicationPin:
      AppPinAuthenticator(config: config as? AppPinConfig ?? AppPinConfig())
    case .biometricOnly:
      BiometricOnlyAuthenticator(
        config: config as? BiometricAuthenticatorConfig ?? BiometricAuthenticatorConfig())
    case .biometricAllowFallback:
      BiometricDeviceCredentialAuthenticator(
        config: config as? BiometricAuthenticatorConfig ?? BiometricAuthenticatorConfig())
    }
  }
}
