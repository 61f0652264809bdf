public import Foundation

/// The members that binding and signing have in common.
public protocol Binding {
  /// The authenticator of an authentication type.
  func getDeviceAuthenticator(type: DeviceBindingAuthenticationType) -> any DeviceAuthenticator
  /// The expiry of the signature.
  ///
  /// - Parameter timeout: In seconds; 60 when it is `nil`.
  func getExpiration(timeout: Int?) -> Date
  /// Chooses the authenticator of an authentication type unless the app passes its own choice.
  var deviceAuthenticatorIdentifier: (DeviceBindingAuthenticationType) -> any DeviceAuthenticator { get }
}

extension DeviceBindingAuthenticationType {
  /// The authenticator of this type.
  var standardAuthenticator: any DeviceAuthenticator {
    switch self {
    case .biometricOnly: BiometricOnly()
    case .biometricAllowFallback: BiometricAndDeviceCredential()
    case .applicationPin: ApplicationPinDeviceAuthenticator()
    case .none: None()
    }
  }
}
