internal import PingCommons
public import PingLogger
internal import StrictJSON

/// Evaluates the policies that a server sent along with a credential.
public final class MfaPolicyEvaluator: Sendable {
  /// What an evaluator is made of.
  public final class Config {
    /// The policies that can be evaluated, in this order.
    public var policies: [any MfaPolicy] = [BiometricAvailablePolicy(), DeviceTamperingPolicy()]

    /// Hears of policies that cannot be evaluated.
    public var logger: any Logger = LogManager.logger
  }

  private let policies: [any MfaPolicy]
  private let logger: any Logger

  private init(_ config: Config) {
    policies = config.policies
    logger = config.logger
  }

  /// An evaluator set up by `configure`.
  public static func create(_ configure: (Config) -> Void = { _ in }) -> MfaPolicyEvaluator {
    let config = Config()
    configure(config)
    return MfaPolicyEvaluator(config)
  }

  public func getPolicies() -> [any MfaPolicy] { policies }

  /// The policy of that name.
  public func getPolicy(policyName: String) -> (any MfaPolicy)? { policies.first { $0.name == policyName } }

  /// Evaluates the policies that `credentialPolicies`, a JSON object, names and this evaluator has. The first that fails
  /// decides; one that throws is skipped. No policies, or text that is no JSON object, is a success.
  public func evaluate(credentialPolicies: String?) async -> MfaPolicyResult {
    guard let text = credentialPolicies, !text.isEmpty else { return .success() }
    guard let wanted = (try? JSONValue(parsing: text))?.objectValue else {
      logger.w("The credential's policies are no JSON object and are ignored")
      return .success()
    }
    for policy in policies {
      guard let settings = wanted[policy.name] else { continue }
      do {
        guard try await policy.evaluate(data: settings.objectValue?.dictionary) else {
          return .failure(policy: policy)
        }
      } catch {
        logger.w("The policy \(policy.name) cannot be evaluated and is skipped", error: error)
      }
    }
    return .success()
  }
}
