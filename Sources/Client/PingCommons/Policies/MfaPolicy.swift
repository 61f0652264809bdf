/// A condition that a device has to meet before a credential may be used on it.
public protocol MfaPolicy: Sendable {
  /// The name under which servers request the policy.
  var name: String { get }

  /// Whether the device meets the policy at present.
  ///
  /// - Parameter data: The server's settings for the policy.
  /// - Throws: When this cannot be determined. ``MfaPolicyEvaluator`` then counts the policy as not met, and logs a warning.
  func evaluate(data: [String: Any]?) async throws -> Bool
}

extension MfaPolicy {
  /// The policy's name, for logs.
  public var description: String { "MfaPolicy(\(name))" }
}

/// The result of evaluating a credential's policies.
public struct MfaPolicyResult: Sendable {
  /// The first policy that the device does not meet; `nil` on success.
  public let nonCompliancePolicy: (any MfaPolicy)?

  public var isSuccess: Bool { nonCompliancePolicy == nil }
  public var isFailure: Bool { !isSuccess }

  /// The name of ``nonCompliancePolicy``.
  public var nonCompliancePolicyName: String? { nonCompliancePolicy?.name }

  /// Returns the result that every policy is met.
  public static func success() -> MfaPolicyResult { MfaPolicyResult(nonCompliancePolicy: nil) }

  /// Returns the result that `policy` is not met.
  public static func failure(policy: any MfaPolicy) -> MfaPolicyResult {
    MfaPolicyResult(nonCompliancePolicy: policy)
  }
}
