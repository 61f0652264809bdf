import Foundation
import PingBinding
import PingJourneyPlugin
import PingLogger
import PingOrchestrate
import ProofFixtures
import StrictJSON
import Testing
import CommonFixtures

// What an app writes, in the shapes that the published guides show. These declarations have to compile as they are.

private class CustomPinCollector: PinCollector {
  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
    DispatchQueue.global().async {
      completion(prompt.title.isEmpty ? nil : "471108")
    }
  }
}

private class CustomUserKeySelector: UserKeySelector {
  func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey? {
    return await withCheckedContinuation { continuation in
      continuation.resume(
        returning: userKeys.first { !$0.username.isEmpty && !$0.userId.isEmpty && !$0.id.isEmpty })
    }
  }
}

private struct CustomLogger: Logger {
  func d(_ message: String) {}
  func i(_ message: String) {}
  func w(_ message: String, error: (any Error)?) {}
  func e(_ message: String, error: (any Error)?) {}
}

@Suite struct GuideTests {
  let device = BindingDevice()
  private let myCustomLogger = CustomLogger()

  @Test func `binding and its errors`() async {
    let callback = DeviceBindingCallback()
    let result = await callback.bind()
    switch result {
    case .success(let json):
      Issue.record("Device binding success: \(json)")
    case .failure(let error):
      if let deviceBindingStatus = error as? DeviceBindingStatus {
        #expect(!deviceBindingStatus.errorMessage.isEmpty)
      } else {
        Issue.record("Device binding failed: \(error.localizedDescription)")
      }
    }
  }

  @Test func `binding without looking at the result`() async {
    let binding = bindingCallback(type: "NO_SUCH_TYPE")
    await binding.bind()
    #expect(inputs(of: binding.payload())["clientError"] == "Unsupported")
    let signing = signingCallback()
    await signing.sign { config in
      device.configure(config)
      config.claims = ["sub": "somebody else"]
    }
    #expect(inputs(of: signing.payload())["clientError"] == "Abort", "a reserved claim")
  }

  @MainActor
  @Test func `from the main actor`() async throws {
    var messages: [String] = []
    let callback = bindingCallback(type: "APPLICATION_PIN")
    let result = await callback.bind { config in
      device.configure(config)
      config.pinCollector = CustomPinCollector()
      messages.append("configured")
    }
    _ = try result.get()
    #expect(messages == ["configured"])
  }

  @Test func `signing in a task`() async {
    func handleDeviceSigning(callback: DeviceSigningVerifierCallback, onNext: @escaping @Sendable () -> Void)
    {
      Task {
        let result = await callback.sign()
        switch result {
        case .success:
          Issue.record("Signing successful")
        case .failure(let error):
          #expect(!error.localizedDescription.isEmpty)
        }
        onNext()
      }
    }
    let done = Signal()
    handleDeviceSigning(callback: DeviceSigningVerifierCallback()) { done.fire() }
    await done.wait()
  }

  @Test func `custom claims and selector`() async throws {
    // Of two keys one has to be chosen, and nobody is at a terminal.
    for user in [mira, "id=babs,ou=user"] { await device.bind(bindingCallback(user: user)) }
    let callback = signingCallback()
    let result = await callback.sign { config in
      device.configure(config)
      // Use custom claims
      config.claims = [
        "amount": "100.00",
        "recipient": "babs@example.com",
        "currency": "USD",
      ]
      config.userKeySelector = CustomUserKeySelector()
    }
    let claims = try Outcome(result).token().claims
    #expect(
      claims["amount"] == "100.00" && claims["recipient"] == "babs@example.com" && claims["currency"] == "USD"
    )
  }

  @Test func `authenticator parameters`() async throws {
    let callback = bindingCallback(type: "APPLICATION_PIN")
    let result = await callback.bind { config in
      device.configure(config)
      // Specify custom app PIN auth parameters
      let appPinConfig = AppPinConfig(
        logger: myCustomLogger,
        prompt: Prompt(title: "Enter PIN", subtitle: "Security", description: "Enter your 4-digit PIN"),
        pinRetry: 5,
        keyTag: "my-custom-key-tag",
        keySizeInBits: 256,  // P-256 curve for ES256 algorithm
        pinCollector: CustomPinCollector()
      )
      // Use the custom authenticator with the config
      config.deviceAuthenticator = AppPinAuthenticator(config: appPinConfig)
    }
    _ = try result.get()

    let biometric = await bindingCallback(type: "BIOMETRIC_ONLY").bind { config in
      device.configure(config)
      let biometricConfig = BiometricAuthenticatorConfig(
        logger: myCustomLogger,
        keyTag: "my-biometric-key-tag",
      )
      config.authenticatorConfig = biometricConfig
    }
    #expect(Outcome(biometric).status?.clientError == "Unsupported", "a store in memory has no biometrics")
  }

  @Test func `keys are listed and deleted`() async throws {
    await device.bind()
    let storage = UserKeyStorageConfig(storage: device.storage)
    for key in try await BindingModule.getAllKeys(userKeyStorage: storage) {
      #expect(!key.authType.rawValue.isEmpty)
      try await BindingModule.deleteKey(key, userKeyStorage: storage, keyStore: device.keyStore)
    }
    try await device.expectNothingLeftOver(count: 0)
  }
}
