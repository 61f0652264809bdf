import Foundation
import PingBinding
import PingDeviceClient
import PingJourneyPlugin
import PingLogger
import Testing

// The rest of what the published guides let an app write (GuideTests has the flows): screens, an app's start, and handlers
// whose closures run on the main actor. In Swift 6 a handler that passes `onNext` into a Task is isolated, or its closure is
// Sendable.

/// A screen's model, as a PIN entry reads the prompt.
@MainActor private struct PINScreen {
  let prompt: Prompt
  let completion: (String?) -> Void

  var texts: [String] { [prompt.title, prompt.subtitle, prompt.description] }
}

/// A screen's model, as a choice of keys shows them.
@MainActor private struct KeyScreen {
  let userKeys: [UserKey]
  let prompt: Prompt
  let completion: (UserKey?) -> Void

  var title: String { prompt.title.isEmpty ? "Select Device Key" : prompt.title }

  /// Identified as a list does it.
  func rows(id: KeyPath<UserKey, String> = \.id) -> [String: [String]] {
    Dictionary(
      uniqueKeysWithValues: userKeys.map {
        ($0[keyPath: id], [$0.username, $0.userId, $0.authType.rawValue])
      })
  }
}

/// Answers from the main actor, where screens are.
private final class ScreenCollector: PinCollector {
  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
    Task { @MainActor in
      let screen = PINScreen(prompt: prompt) { pin in completion(pin) }
      screen.completion(screen.texts[0].isEmpty ? nil : "271828")
    }
  }
}

private final class ScreenSelector: UserKeySelector {
  func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey? {
    await withCheckedContinuation { continuation in
      Task { @MainActor in
        let screen = KeyScreen(userKeys: userKeys, prompt: prompt) { continuation.resume(returning: $0) }
        screen.completion(screen.rows().isEmpty || screen.title.isEmpty ? nil : userKeys.first)
      }
    }
  }
}

/// An app's start.
private struct MyApp {
  init() {
    // Only needed without a Journey
    BindingModule.registerCallbacks()
  }
}

@MainActor @Suite struct GuideShapeTests {
  let device = BindingDevice()

  private func handleDeviceBinding(callback: DeviceBindingCallback, onNext: @escaping () -> Void) {
    Task {
      let result = await callback.bind { config in
        device.configure(config)
        config.pinCollector = ScreenCollector()
      }
      if case .failure(let error) = result { Issue.record(error) }
      onNext()
    }
  }

  private func handleDeviceSigning(callback: DeviceSigningVerifierCallback, onNext: @escaping () -> Void) {
    Task {
      let result = await callback.sign { config in
        device.configure(config)
        config.pinCollector = ScreenCollector()
        config.userKeySelector = ScreenSelector()
      }
      switch result {
      case .success(let json): #expect(!json.isEmpty)
      case .failure(let error): Issue.record("Signing failed: \(error.localizedDescription)")
      }
      onNext()
    }
  }

  @Test func `screens bind and sign`() async {
    _ = MyApp()
    for user in [mira, "id=noor"] {
      await withCheckedContinuation { done in
        handleDeviceBinding(callback: bindingCallback(type: "APPLICATION_PIN", user: user)) { done.resume() }
      }
    }
    await withCheckedContinuation { done in
      handleDeviceSigning(callback: signingCallback()) { done.resume() }
    }
  }

  /// Has to compile: apps switch over the cases without a `default`.
  private func remedy(_ status: DeviceBindingStatus) -> String {
    switch status {
    case .unsupported(let message): message ?? "ask for less"
    case .clientNotRegistered: "bind again"
    case .timeout: "allow longer"
    case .invalidCustomClaims: "rename the claims"
    case .abort: ""
    case .unAuthorize: "ask again"
    }
  }

  @Test func `authenticator parameters with the key size`() async {
    let biometricConfig = BiometricAuthenticatorConfig(
      logger: Logger.standard,
      keyTag: "my-biometric-key-tag",
      keySizeInBits: 256  // P-256 curve for ES256 algorithm
    )
    let callback = bindingCallback(type: "BIOMETRIC_ONLY")
    let result = await callback.bind { config in
      device.configure(config)
      config.authenticatorConfig = biometricConfig
    }
    if case .success = result { Issue.record("a store in memory has no biometrics") }
  }

  @Test func `unbinding with a session`() async throws {
    await device.bind()
    let storage = UserKeyStorageConfig(storage: device.storage)
    let key = try #require(try await BindingModule.getAllKeys(userKeyStorage: storage).first)
    let server = DeviceClient(
      config: DeviceClientConfig(serverUrl: "not an address", realm: "alpha", ssoToken: "token"))
    do {
      try await BindingModule.unbind(
        key, on: server, forceDelete: false, userKeyStorage: storage, keyStore: device.keyStore)
      Issue.record("unbound without a server")
    } catch {
      #expect(!error.isKeyDeleted && error.localizedDescription.contains("not an address"))
    }
  }
}
