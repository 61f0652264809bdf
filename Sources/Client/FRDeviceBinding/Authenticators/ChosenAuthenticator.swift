internal import Foundation
internal import PingBinding

/// Passes an app's choice of an authenticator to PingBinding.
struct ChosenAuthenticator {
  let choose: (DeviceBindingAuthenticationType) -> any DeviceAuthenticator
  let prompt: Prompt

  /// Makes `config` use the chosen authenticator of each authentication type.
  ///
  /// - Parameter timeout: The time limit in seconds; 0 passes at once.
  func apply(to config: DeviceBindingConfig, timeout: Int) {
    config.earlierSDK = EarlierSDK(timeout: timeout)
    config.makeDeviceAuthenticator = { [unowned config] type in
      let chosen = choose(DeviceBindingAuthenticationType(type))
      config.issueTime = { chosen.issueTime() }
      config.notBeforeTime = { chosen.notBeforeTime() }
      config.earlierSDK?.biometricDomainState = { chosen.biometricDomainState() }
      if Self.isOurs(chosen) { return chosen.authenticator() }
      config.earlierSDK?.bindingFailed = { chosen.discardKeys() }
      return LegacyAuthenticator(chosen, prompt: prompt)
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
