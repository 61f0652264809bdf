public import Foundation

/// What binding and signing have in common.
public protocol Binding {
  /// The authenticator of an authentication type.
  func getDeviceAuthenticator(type: DeviceBindingAuthenticationType) -> any DeviceAuthenticator
  /// When what is signed expires.
  ///
  /// - Parameter timeout: In seconds; 60 when it is `nil`.
  func getExpiration(timeout: Int?) -> Date
  /// What finds the authenticator of an authentication type when the app names no other way.
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
