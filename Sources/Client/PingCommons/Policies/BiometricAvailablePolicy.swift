#if canImport(LocalAuthentication)
  internal import LocalAuthentication
#endif

/// `biometricAvailable`: a finger or face is enrolled on the device and can be recognised.
public struct BiometricAvailablePolicy: MfaPolicy, Sendable {
  /// The name under which servers request this policy.
  public static let policyName = "biometricAvailable"

  public var name: String { Self.policyName }
  private let isAvailable: @Sendable () async throws -> Bool

  /// Asks LocalAuthentication on Apple platforms. Elsewhere no single interface exists, and the policy is not met: use
  /// ``init(isAvailable:)`` with the app's reader.
  public init() {
    self.init {
      #if canImport(LocalAuthentication)
        LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil)
      #else
        false
      #endif
    }
  }

  /// Asks `isAvailable`.
  public init(isAvailable: @escaping @Sendable () async throws -> Bool) { self.isAvailable = isAvailable }

  public func evaluate(data: [String: Any]?) async throws -> Bool { try await isAvailable() }
}
