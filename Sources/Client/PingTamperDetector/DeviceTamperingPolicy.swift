internal import Foundation
public import PingCommons

/// `deviceTampering`: there are few signs that the device or this program was tampered with.
///
/// The server's setting `score`, 0.8 by default, is the limit: the policy is met while the measured score is below it.
public struct DeviceTamperingPolicy: MfaPolicy {
  /// The name under which servers request this policy.
  public static let policyName = "deviceTampering"

  public var name: String { Self.policyName }
  private let score: @Sendable () async throws -> Double

  /// Measures with ``TamperDetector``.
  public init() { self.init { TamperDetector().analyze() } }

  /// Measures with `score`, from 0 (no signs) to 1 (certainly tampered with).
  public init(score: @escaping @Sendable () async throws -> Double) { self.score = score }

  public func evaluate(data: [String: Any]?) async throws -> Bool {
    let setting = data?["score"]
    let limit = setting as? Double ?? (setting as? Int).map(Double.init) ?? 0.8
    return try await score() < limit
  }
}
