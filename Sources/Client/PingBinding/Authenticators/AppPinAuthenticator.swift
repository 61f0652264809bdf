internal import DeviceKeys
internal import Foundation
internal import PingLogger
internal import SigningTransactions

/// Makes keys that are unlocked by the app's own PIN.
///
/// The PIN decrypts the key; it is neither stored nor sent. A new PIN has to satisfy ``AppPinConfig/pinPolicy``. To sign, the
/// PIN is asked for up to ``AppPinConfig/pinRetry`` times. The key store counts wrong PINs across operations: after several the
/// person has to wait, and after too many the key is disabled (``DeviceBindingStatus/clientNotRegistered``).
public class AppPinAuthenticator: StandardAuthenticator {
  private let config: AppPinConfig

  public init(config: AppPinConfig) {
    self.config = config
    super.init(settings: config)
  }

  public override func type() -> DeviceBindingAuthenticationType { .applicationPin }

  /// Makes a key with a new PIN. The key of a token has the token's PIN, which is asked for up to ``AppPinConfig/pinRetry`` times.
  ///
  /// - Throws: ``DeviceBindingError/userCanceled`` when no PIN is entered; ``DeviceBindingError/unsupported(errorMessage:)``
  ///   with the reason when the last new PIN is refused; ``DeviceBindingError/authenticationFailed`` after a token's last wrong PIN.
  public override func register() async throws -> KeyPair {
    try checkSettings()
    let keyStore = try currentDependencies().keyStore
    if try await keyStore.token(ofKey: nil) != nil {
      return try await unlocking(of: { try await keyStore.token(ofKey: nil) }) {
        try await self.createKey(unlock: .pin($0))
      }
    }
    var problem: String?
    for _ in 1...max(1, config.newPINTries ?? config.pinRetry) {
      let pin = try await askForNewPIN(problem: problem)
      problem = config.pinPolicy.violation(of: pin)?.localizedDescription
      if problem == nil, config.asksForNewPINTwice, try await askForNewPIN(problem: nil) != pin {
        problem = Self.differingPINs
      }
      if problem == nil { return try await createKey(unlock: .pin(pin)) }
      try Task.checkCancellation()
    }
    throw problem.map { DeviceBindingError.unsupported(errorMessage: $0) } ?? .userCanceled
  }

  static let differingPINs = "The two PINs differ. Enter the same one twice."

  override var promptShowsTransactions: Bool? { config.pinCollector.showsTransactions }

  override func prepare(_ dependencies: KeyDependencies) {
    super.prepare(dependencies)
    config.inheritedCollector = dependencies.pinCollector
  }

  /// - Throws: ``DeviceBindingError/userCanceled`` when no PIN is entered, ``DeviceBindingError/authenticationFailed`` after
  ///   the last wrong PIN, ``DeviceBindingError/deviceNotRegistered`` at once when there is no key.
  override func openKey(tag: String) async throws -> any DeviceKey {
    let keyStore = try currentDependencies().keyStore
    do {
      return try await unlocking(tag, of: { try? await keyStore.token(ofKey: tag) }) {
        try await keyStore.openKey(tag: tag, unlock: .pin($0))
      }
    } catch DeviceKeyError.notFound {
      throw DeviceBindingError.deviceNotRegistered
    }
  }

  /// Asks for the PIN until `body` accepts it, at most ``AppPinConfig/pinRetry`` times, and returns the result of `body`.
  ///
  /// - Parameters:
  ///   - tag: The key that is unlocked; `nil` for a new one.
  ///   - token: Returns the token whose PIN is asked for, before each try; `nil` when the key has a PIN of its own.
  private func unlocking<Unlocked>(
    _ tag: String? = nil, of token: () async throws -> KeyToken?, _ body: (PIN) async throws -> Unlocked
  ) async throws -> Unlocked {
    let dependencies = try currentDependencies()
    let tries = max(1, config.pinRetry)
    for attempt in 1...tries {
      let token = try await token()
      let keyTries =
        if let token { token.pinTries } else if let tag {
          try await dependencies.keyStore.pinTries(tag: tag)
        } else { nil as PINTries? }
      // A PIN entered now would be ignored.
      if let refusal = keyTries?.refusal(ofKey: tag ?? "") { throw refusal }
      let triesLeft = attempt == 1 ? nil : tries - attempt + 1
      guard let pin = try await askForPIN(triesLeft: triesLeft, keyTries, token) else {
        throw DeviceBindingError.userCanceled
      }
      do {
        return try await body(pin)
      } catch DeviceKeyError.wrongPIN {
        (config.logger ?? dependencies.logger).w("Wrong PIN, try \(attempt) of \(tries)", error: nil)
      }
      try Task.checkCancellation()
    }
    throw DeviceBindingError.authenticationFailed
  }

  /// The PIN, or `nil` when the person cancels.
  private func askForPIN(
    triesLeft: Int?, _ keyTries: PINTries?, _ token: KeyToken?
  ) async throws -> PIN? {
    var prompt = chosenPrompt
    // The content to be signed is also shown below the app's own texts.
    if let transaction = self.prompt?.transaction, prompt.transaction == nil {
      prompt = prompt.showing(transaction, keepsTitle: true)
    } else if let text = prompt.signedText, prompt.title != Prompt.textTitle {
      prompt = prompt.showing(text: text, keepsTitle: true)
    }
    prompt.triesLeft = triesLeft
    prompt.keyTries = keyTries
    prompt.token = token
    return try await answer(to: prompt)
  }

  /// Returns the PIN that is entered before the prompt's end; a later answer throws ``DeviceBindingError/timeout``.
  private func answer(to prompt: Prompt) async throws -> PIN? {
    let pin = try await config.pinCollector.pin(prompt: prompt)
    if let end = prompt.end, try currentDependencies().now() >= end { throw DeviceBindingError.timeout }
    return pin.map { PIN($0) }
  }

  private func askForNewPIN(problem: String?) async throws -> PIN {
    var prompt = chosenPrompt
    prompt.isNewPIN = true
    prompt.rule = config.pinPolicy.rule
    prompt.policy = config.pinPolicy
    prompt.problem = problem
    guard let pin = try await answer(to: prompt) else { throw DeviceBindingError.userCanceled }
    return pin
  }

  /// The app's texts take precedence over the server's, and those over the defaults.
  private var chosenPrompt: Prompt {
    guard let prompt else { return config.prompt }
    return config.prompt == AppPinConfig.defaultPrompt ? prompt : config.prompt.known(as: prompt)
  }
}
