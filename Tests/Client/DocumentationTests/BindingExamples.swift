// The examples of PingBinding's articles, compiled. `DocumentationTests` compares the texts.
import DeviceKeys
import DeviceKeysTPM
import Foundation
import PingBinding
import PingDeviceClient
import PingLogger
import UserVerification
import UserVerificationFprintd
import UserVerificationPAM

func handleBinding(_ callback: DeviceBindingCallback) async {
  let result = await callback.bind { config in
    config.deviceName = "Till 4"
    config.applicationId = "com.acme.wallet"
  }
  switch result {
  case .success: print("bound")
  case .failure(let error): print("not bound: \(error.localizedDescription)")
  }
}

func handleSigning(_ callback: DeviceSigningVerifierCallback) async {
  let result = await callback.sign { config in
    config.applicationId = "com.acme.wallet"
    config.claims = ["amount": "100.00", "currency": "USD", "recipient": "babs@example.com"]
  }
  if case .failure(let error as DeviceBindingStatus) = result { print(error.errorMessage) }
}

func pinSettings() -> AppPinConfig {
  let settings = AppPinConfig(
    prompt: Prompt(title: "Enter PIN", subtitle: "Security", description: "Four digits"), pinRetry: 3)
  settings.pinPolicy = PINPolicy(minimumLength: 4, characters: .digits)
  return settings
}

final class CounterPinCollector: CancellablePinCollector, Sendable {
  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
    Task { completion(await collectPin(prompt: prompt)) }
  }

  func collectPin(prompt: Prompt) async -> String? {
    if let problem = prompt.problem { print(problem) }
    print(prompt.isNewPIN ? "Choose a PIN" : prompt.title)
    return readLine(strippingNewline: true)
  }
}

func verifyPerson(_ config: DeviceBindingConfig) {
  config.biometricVerifier = FprintdVerifier()
  config.deviceCredentialVerifier = PAMVerifier()
  config.biometricProgress = { print($0.text) }
  let settings = BiometricAuthenticatorConfig()
  settings.enrolmentChangePolicy = .invalidate
  config.authenticatorConfig = settings
}

func insistOnHardware(_ config: DeviceBindingConfig, keysFolder: URL) throws {
  config.keyStore = PreferredKeyStore(
    hardware: try TPMKeyStore(directory: keysFolder), software: try SoftwareKeyStore(directory: keysFolder),
    requirement: .hardware)
  config.attestation = .none
}

func removeEverything(of user: String, from server: DeviceClient) async throws {
  for key in try await BindingModule.getAllKeys() where key.userId == user {
    try await BindingModule.unbind(key, on: server)
  }
}

func takeOverEarlierKeys() async {
  do {
    try await BindingMigration.migrate(logger: LogManager.standard, cleanupLegacyData: true)
    print("done")
  } catch MigrationError.noLegacyDataFound {
    print("nothing to do")
  } catch {
    print("not taken over: \(error)")
  }
}
