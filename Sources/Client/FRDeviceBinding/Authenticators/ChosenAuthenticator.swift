internal import Foundation
internal import PingBinding

/// Turns an app's choice of an authenticator into one for PingBinding.
struct ChosenAuthenticator {
  let choose: (DeviceBindingAuthenticationType) -> any DeviceAuthenticator
  let userId: String?
  let prompt: Prompt

  /// Lets `config` ask for the authenticator of a type.
  func apply(to config: DeviceBindingConfig) {
    config.makeDeviceAuthenticator = { [unowned config] type in
      let chosen = choose(DeviceBindingAuthenticationType(type))
      if let userId { chosen.initialize(userId: userId, prompt: prompt) } else { chosen.setPrompt(prompt) }
      config.issueTime = { chosen.issueTime() }
      config.notBeforeTime = { chosen.notBeforeTime() }
      guard chosen.validateCustomClaims(config.claims) else { return Refusal(acceptsClaims: false) }
      guard chosen.isSupported() else { return Refusal(acceptsClaims: true) }
      if Self.isOurs(chosen) { return chosen.authenticator() }
      return LegacyAuthenticator(chosen, isInitialised: userId != nil)
    }
  }

  /// Whether `chosen` is one of this module's authenticators, and not an app's subclass: then PingBinding's is used directly.
  private static func isOurs(_ chosen: any DeviceAuthenticator) -> Bool {
    let ours: [any DeviceAuthenticator.Type] = [
      BiometricOnly.self, BiometricAndDeviceCredential.self, ApplicationPinDeviceAuthenticator.self,
      None.self,
    ]
    return ours.contains { $0 == Swift.type(of: chosen) }
  }
}

/// Stands for an authenticator that refused the claims or is not supported.
private final class Refusal: PingBinding.DefaultDeviceAuthenticator {
  private let acceptsClaims: Bool

  init(acceptsClaims: Bool) { self.acceptsClaims = acceptsClaims }

  override func validateCustomClaims(_ customClaims: [String: Any]) -> Bool { acceptsClaims }
}
