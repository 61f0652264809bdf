package import Foundation

#if canImport(LocalAuthentication)
  internal import LocalAuthentication
#endif

/// What the system says about the enrolled biometrics.
package enum SystemBiometrics {
  /// The set of enrolled fingers and faces; `nil` when the system does not report it: on systems other than Apple's, while biometry is
  /// locked, and when nothing is enrolled.
  package static var domainState: Data? {
    #if canImport(LocalAuthentication)
      let context = LAContext()
      var error: NSError?
      guard context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error) else {
        return nil
      }
      return context.evaluatedPolicyDomainState
    #else
      return nil
    #endif
  }
}
