// The examples of "Using PingBinding". `DocumentationTests` compares the regions with the article.
import DeviceKeys
import DeviceKeysTPM
import Foundation
import PingBinding
import PingDeviceClient
import PingLogger
import UserVerification
import UserVerificationFprintd
import UserVerificationPAM

// snippet: four-digits
func askForFourDigits(_ config: DeviceBindingConfig) {
  let settings = AppPinConfig(
    prompt: Prompt(title: "Till PIN", subtitle: "", description: "Four digits"), pinRetry: 3)
  settings.pinPolicy = PINPolicy(minimumLength: 4, characters: .digits, refused: ["2580"])
  settings.asksForNewPINTwice = true
  config.authenticatorConfig = settings
}
// end

// snippet: change-pin
func changePIN(of key: UserKey, from old: String, to new: String) async -> String {
  do {
    try await BindingModule.changePin(of: key, from: PIN(old), to: PIN(new))
    return "The PIN is changed."
  } catch {
    return error.localizedDescription
  }
}
// end

// snippet: terminal-pin
/// Asks on the terminal, in the app's own words. What is typed is not shown.
final class TillPinCollector: PinCollector {
  /// The description has all of a transaction.
  let showsTransactions = true

  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
    DispatchQueue.global().async {
      print(prompt.description)
      if let problem = prompt.problem { print(problem) }
      if let tries = prompt.triesLeft { print("Wrong PIN, tries left: \(tries)") }
      let entered = getpass(prompt.isNewPIN ? "New till PIN: " : "Till PIN: ").map { String(cString: $0) }
      completion(entered)
    }
  }
}
// end

// snippet: newest-key
/// Takes the key that was bound last; with several users on the device, asks for the name.
struct NewestKey: UserKeySelector {
  func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey? {
    guard Set(userKeys.map(\.userId)).count > 1 else { return userKeys.first }
    print("Who are you? \(userKeys.map(\.username).joined(separator: ", "))")
    let name = readLine()
    return userKeys.first { $0.username == name }
  }
}
// end

// snippet: own-prompts
func useOwnPrompts(_ config: DeviceBindingConfig) {
  config.pinCollector = TillPinCollector()
  config.userKeySelector = NewestKey()
}
// end

#if os(Linux)
  // snippet: biometrics
  func verifyPerson(_ config: DeviceBindingConfig) {
    config.biometricVerifier = FprintdVerifier()
    config.deviceCredentialVerifier = PAMVerifier()
    config.biometricProgress = { print($0.text) }
  }
// end
#endif

// snippet: enrolment
func acceptNewFingers(_ config: DeviceBindingConfig) {
  let settings = BiometricAuthenticatorConfig()
  settings.enrolmentChangePolicy = .accept
  config.authenticatorConfig = settings
}
// end

// snippet: key-store
/// This device's keys, in its TPM when there is one.
func keyStore(in folder: URL, requirement: PreferredKeyStore.Requirement) throws -> PreferredKeyStore {
  PreferredKeyStore(
    hardware: try TPMKeyStore(directory: folder), software: try SoftwareKeyStore(directory: folder),
    requirement: requirement)
}
// end

// snippet: hardware
func insistOnHardware(_ config: DeviceBindingConfig, keysIn folder: URL) throws {
  config.keyStore = try keyStore(in: folder, requirement: .hardware)
}
// end

// snippet: attest
func insistOnAttestation(_ config: DeviceBindingConfig) {
  config.requiresAttestation = true
}
// end

// snippet: list
func printKeys() async throws {
  for key in try await BindingModule.getAllKeys() {
    print(key.username, key.authType.rawValue, key.store?.rawValue ?? "unknown", key.createdAt)
  }
}
// end

// snippet: unbind
/// Removes the user's keys of this device, there and here.
///
/// - Parameter token: The session of the user, or of an administrator.
func unbindAll(of userId: String, at server: String, token: String) async throws {
  let client = DeviceClient(config: DeviceClientConfig(serverUrl: server, realm: "alpha", ssoToken: token))
  for key in try await BindingModule.getAllKeys() where key.userId == userId {
    try await BindingModule.unbind(key, on: client)
  }
}
// end

// snippet: migrate
func takeOverEarlierKeys() async {
  do {
    try await BindingMigration.migrate(logger: LogManager.standard)
    print("The keys are taken over.")
  } catch MigrationError.noLegacyDataFound, MigrationError.alreadyMigrated {
    print("There is nothing to take over.")
  } catch {
    print("Not taken over: \(error.localizedDescription)")
  }
}
// end

// snippet: automatic
func keepEarlierEntries() {
  BindingMigration.configureAutomatic(accessGroup: "com.acme.shared", cleanupLegacyData: false)
}
// end
