internal import Concurrency
internal import DeviceKeys
internal import Foundation
internal import PingDeviceId
internal import PingJourneyPlugin
internal import PingLogger
internal import SigningTransactions
internal import UserVerification

/// The dependencies of one `bind()` or `sign()`: the callback's and the app's settings, checked and merged.
// Holds the app's objects, which need not be Sendable. The value is made on the caller's actor when the app's closure has
// returned, and then handed to the one task that carries out the operation.
struct BindingDependencies: @unchecked Sendable {
  let config: DeviceBindingConfig
  let prompt: Prompt
  let journey: Journey?
  let logger: any Logger
  /// The time limit in seconds, from which `exp` is computed.
  let timeout: Int
  let deadline: Deadline
  let storage: UserKeysStorage
  /// The server and realm that keys are made for and looked up at; `nil` outside a journey.
  let scope: KeyScope?
  /// The `iss` of the proofs.
  let applicationID: String

  /// The longest time limit in seconds: a day.
  private static let longestTimeout = 86_400

  init(config: DeviceBindingConfig, prompt: Prompt, journey: Journey?, timeout: Int, defaultTimeout: Int) {
    self.config = config
    self.journey = journey
    scope = KeyScope(journey: journey)
    logger = BindingModule.logger(for: journey)
    // A limit that is not positive counts as not set.
    let server = timeout > 0 ? timeout : defaultTimeout
    let app = config.chosenTimeout.flatMap { $0 > 0 ? $0 : nil } ?? server
    self.timeout =
      config.earlierSDK.map { max(0, min($0.timeout, Self.longestTimeout)) } ?? min(app, Self.longestTimeout)
    var prompt = prompt.asked(by: scope)
    prompt.timeLimit = self.timeout
    prompt.end = Self.end(of: prompt, timeout: self.timeout, now: config.now())
    self.prompt = prompt
    deadline = Deadline(seconds: self.timeout, clock: config.clock)
    storage = UserKeysStorage(config: config.userKeyStorage)
    applicationID = ApplicationID.chosen(config.applicationId, logger: logger)
  }

  /// The last moment for an answer. A transaction whose end has already passed when it is offered was timed by a clock that
  /// differs from this device's, so that end is ignored.
  private static func end(of prompt: Prompt, timeout: Int, now: Date) -> Date {
    let step = now + TimeInterval(timeout)
    guard let end = prompt.transactionContext?.expiresAt, end > now else { return step }
    return min(step, end)
  }

  /// The prompt with the facts that this device knows.
  func prompt(account: String?) -> Prompt {
    var prompt = prompt
    prompt.account = account.flatMap { $0.isEmpty ? nil : $0 }
    prompt.application = applicationID
    return prompt
  }

  /// The store of private keys.
  func keyStore() throws -> any DeviceKeyStore { try config.keyStore ?? StandardStores.keyStore() }

  /// The store of biometric keys' authorisation values.
  func vault() -> AuthorizationVault { config.authorizationVault ?? StandardStores.vault() }

  /// Removes keys from `keyStore` together with their descriptions.
  func removal(from keyStore: any DeviceKeyStore) -> KeyRemoval {
    KeyRemoval(keyStore: keyStore, vault: vault(), storage: storage, logger: logger)
  }

  /// Identifies this device to the server.
  func deviceID() async throws -> String {
    try await (config.deviceIdentifier ?? DefaultDeviceIdentifier()).id
  }

  /// Runs a step of `authenticator` within the time limit, without waiting for an app's own authenticator, which may
  /// never end.
  ///
  /// - Parameter late: Receives the result of an abandoned step.
  func run<Value: Sendable>(
    _ authenticator: any DeviceAuthenticator,
    _ step: @escaping @Sendable (any DeviceAuthenticator) async throws -> Value,
    late: @escaping @Sendable (Value) async -> Void = { _ in }
  ) async throws -> Value {
    let transferred = Transferred(authenticator)
    return try await deadline.run(
      abandoning: authenticator.standard == nil, { try await step(transferred.value) }, late: late)
  }

  /// Unlocks the key `tag` with `authenticator`.
  func openKey(_ tag: String, with authenticator: any DeviceAuthenticator) async throws -> any DeviceKey {
    try await run(authenticator) {
      let opened: Result<any DeviceKey, any Error> = await $0.authenticate(keyTag: tag)
      return try opened.get()
    }
  }

  /// The authenticator for keys of `type`, ready to use.
  ///
  /// - Parameters:
  ///   - account: The name of the key's user, for the prompt.
  ///   - isBinding: Whether a key is to be made. If so, this method first checks whether the person could unlock the key.
  ///   - attestation: The attestation that is wanted for that key.
  func authenticator(
    type: DeviceBindingAuthenticationType, userID: String, keyStore: any DeviceKeyStore, isBinding: Bool,
    account: String? = nil, attestation: Attestation = .none
  ) async throws -> any DeviceAuthenticator {
    var authenticator =
      config.deviceAuthenticator ?? config.makeDeviceAuthenticator?(type) ?? standardAuthenticator(type)
    authenticator.journey = journey
    if let authenticator = authenticator as? DefaultDeviceAuthenticator {
      authenticator.prepare(
        keyDependencies(
          keyStore, attestation: attestation == .none ? .available : await keyStore.attestationAvailability())
      )
      if isBinding { try await authenticator.lookForPerson() }
    }
    let prompt = prompt(account: account)
    try await ask(authenticator) { $0.initialize(userId: userID, prompt: prompt) }
    return authenticator
  }

  /// Asks `authenticator` a question. An app's own authenticator is asked on a separate thread: it may block, or never answer.
  func ask<Answer: Sendable>(
    _ authenticator: any DeviceAuthenticator, _ question: @escaping (any DeviceAuthenticator) throws -> Answer
  ) async throws -> Answer {
    guard authenticator.standard == nil else { return try question(authenticator) }
    let work = Transferred((authenticator, question))
    return try await deadline.run(abandoning: true) {
      try await onOwnThread {
        let (authenticator, question) = work.value
        return try question(authenticator)
      }
    }
  }

  /// The set of biometrics enrolled now, for keys of `type`; `nil` when neither the system nor the app's code reports it.
  func biometricDomainState(
    _ authenticator: any DeviceAuthenticator, type: DeviceBindingAuthenticationType
  ) async throws -> Data? {
    guard let earlier = config.earlierSDK else {
      return type.isBiometric ? SystemBiometrics.domainState : nil
    }
    return try await ask(authenticator) { _ in earlier.biometricDomainState() }
  }

  /// Tells an app's code for the earlier SDK that its binding has failed, and waits for it at most 5 seconds.
  func tellFailure() async {
    guard let bindingFailed = config.earlierSDK?.bindingFailed else { return }
    let work = Transferred(bindingFailed)
    await Task {
      try? await firstOf(
        { try await onOwnThread { work.value() } }, orAfter: .seconds(5), on: config.clock, abandoning: true)
    }.value
  }

  /// The dependencies of an authenticator.
  func keyDependencies(_ keyStore: any DeviceKeyStore, attestation: KeyStoreAvailability) -> KeyDependencies {
    let verifiers = PersonVerifiers(
      biometric: config.biometricVerifier, credential: config.deviceCredentialVerifier,
      credentialSource: config.credentialSource, progress: config.biometricProgress, vault: vault())
    return KeyDependencies(
      keyStore: keyStore, storage: storage, scope: scope, logger: logger, makeID: config.makeID,
      pinCollector: config.pinCollector, verifiers: verifiers, attestation: attestation, now: config.now)
  }

  private func standardAuthenticator(_ type: DeviceBindingAuthenticationType) -> any DeviceAuthenticator {
    let pin = config.authenticatorConfig as? AppPinConfig ?? AppPinConfig()
    let biometric =
      config.authenticatorConfig as? BiometricAuthenticatorConfig ?? BiometricAuthenticatorConfig()
    return switch type {
    case .none: NoneAuthenticator()
    case .applicationPin: AppPinAuthenticator(config: pin)
    case .biometricOnly: BiometricOnlyAuthenticator(config: biometric)
    case .biometricAllowFallback: BiometricDeviceCredentialAuthenticator(config: biometric)
    }
  }
}
