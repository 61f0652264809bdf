internal import Concurrency
internal import Foundation
internal import PingBinding

/// Turns an app's choice of an authenticator into what PingBinding works with.
struct ChosenAuthenticator {
  let choose: (DeviceBindingAuthenticationType) -> any DeviceAuthenticator
  let userId: String?
  let prompt: Prompt

  /// Lets `config` ask for the authenticator of a type.
  func apply(to config: DeviceBindingConfig) {
    config.makeDeviceAuthenticator = { [unowned config] type in
      let chosen = choose(DeviceBindingAuthenticationType(type))
      if let userId { chosen.initialize(userId: userId, prompt: prompt) } else { chosen.setPrompt(prompt) }
      let time = Transferred(chosen)
      config.issueTime = { time.value.issueTime() }
      config.notBeforeTime = { time.value.notBeforeTime() }
      guard chosen.validateCustomClaims(config.claims) else { return Refusal(acceptsClaims: false) }
      guard chosen.isSupported() else { return Refusal(acceptsClaims: true) }
      if Self.isOurs(chosen) { return chosen.authenticator() }
      return LegacyAuthenticator(chosen, isInitialised: userId != nil)
    }
  }

  /// Whether `chosen` is one of this module's, which an app has not changed: then what does the work is used directly.
  private static func isOurs(_ chosen: any DeviceAuthenticator) -> Bool {
    let ours: [any DeviceAuthenticator.Type] = [
      BiometricOnly.self, BiometricAndDeviceCredential.self, ApplicationPinDeviceAuthenticator.self,
      None.self,
    ]
    return ours.contains { $0 == Swift.type(of: chosen) }
  }
}

/// Stands for an authenticator that an app's class has ruled out.
private final class Refusal: PingBinding.DefaultDeviceAuthenticator {
  private let acceptsClaims: Bool

  init(acceptsClaims: Bool) { self.acceptsClaims = acceptsClaims }

  override func validateCustomClaims(_ customClaims: [String: Any]) -> Bool { acceptsClaims }
}
