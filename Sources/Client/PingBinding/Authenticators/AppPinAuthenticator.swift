public import DeviceKeys
internal import PingLogger
internal import SigningTransactions

/// Makes keys that are unlocked by the app's own PIN.
///
/// The PIN is what decrypts the key; it is neither stored nor sent. It is asked for once when a key is made, and up to
/// ``AppPinConfig/pinRetry`` times when it is to sign.
public class AppPinAuthenticator: DefaultDeviceAuthenticator {
  private let config: AppPinConfig

  public init(config: AppPinConfig) { self.config = config }

  public override func type() -> DeviceBindingAuthenticationType { .applicationPin }

  public override func isSupported(attestation: Attestation) -> Bool { attestation == .none }

  /// - Throws: ``DeviceBindingError/userCanceled`` when no PIN is entered.
  public override func register() async throws -> KeyPair {
    try checkSettings()
    guard let pin = try await askForPIN() else { throw DeviceBindingError.userCanceled }
    return try await createKey(unlock: .pin(pin))
  }

  /// Fails with ``DeviceBindingError/userCanceled`` when no PIN is entered, with
  /// ``DeviceBindingError/authenticationFailed`` after the last wrong one, and with
  /// ``DeviceBindingError/deviceNotRegistered`` at once when there is no key.
  public override func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
    if let key = takeRegistered(keyTag: keyTag) { return .success(key) }
    do {
      return .success(try await unlock(keyTag: keyTag))
    } catch {
      return .failure(error)
    }
  }

  public override func deleteKeys() async throws { try await deleteStoredKeys() }

  override func unsupportedReason(attestation: Attestation) -> String? {
    attestation == .none ? nil : UnsupportedReason.attestation
  }

  override func checkSettings() throws {
    guard config.keySizeInBits == 256 else {
      throw DeviceBindingError.unsupported(errorMessage: UnsupportedReason.keySize(config.keySizeInBits))
    }
  }

  override var tagPrefix: String { config.keyTag }

  override func prepare(_ environment: KeyEnvironment) {
    super.prepare(environment)
    config.inheritedCollector = environment.pinCollector
  }

  private func unlock(keyTag: String) async throws -> any DeviceKey {
    let environment = try currentEnvironment()
    let tries = max(1, config.pinRetry)
    for attempt in 1...tries {
      let triesLeft = attempt == 1 ? nil : tries - attempt + 1
      guard let pin = try await askForPIN(triesLeft: triesLeft) else { throw DeviceBindingError.userCanceled }
      do {
        return try await environment.keyStore.openKey(tag: keyTag, unlock: .pin(pin))
      } catch DeviceKeyError.wrongPIN {
        (config.logger ?? environment.logger).w("Wrong PIN, try \(attempt) of \(tries)", error: nil)
      } catch DeviceKeyError.notFound {
        throw DeviceBindingError.deviceNotRegistered
      }
      try Task.checkCancellation()
    }
    throw DeviceBindingError.authenticationFailed
  }

  /// The PIN, or `nil` when the person cancels.
  private func askForPIN(triesLeft: Int? = nil) async throws -> PIN? {
    // The app's own texts come before the server's, and those before ours.
    var prompt = config.prompt == AppPinConfig.defaultPrompt ? prompt ?? config.prompt : config.prompt
    // What is signed is shown whoever the texts are by.
    if let transaction = self.prompt?.transaction { prompt = prompt.showing(transaction) }
    prompt.triesLeft = triesLeft
    return try await config.pinCollector.pin(prompt: prompt).map { PIN($0) }
  }
}
