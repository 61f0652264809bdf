internal import Concurrency
public import PingLogger
internal import StrictJSON

/// Evaluates the policies that a server sent along with a credential.
public actor MfaPolicyEvaluator: Sendable {
  private let policies: [any MfaPolicy]
  private let logger: any Logger

  private init(_ config: Config) {
    policies = config.policies
    logger = config.logger
  }

  /// An evaluator set up by `configure`.
  public static func create(configure: (Config) -> Void = { _ in }) -> MfaPolicyEvaluator {
    let config = Config()
    configure(config)
    return MfaPolicyEvaluator(config)
  }

  /// The policies that can be evaluated, in their order.
  public func getPolicies() -> [any MfaPolicy] { policies }

  /// The policy of that name.
  public func getPolicy(policyName: String) -> (any MfaPolicy)? { policies.first { $0.name == policyName } }

  /// Evaluates the policies that `credentialPolicies`, a JSON object, names and this evaluator has. The first that fails
  /// decides; one that throws has failed. No policies is a success. Text that is not a JSON object may name any: the first of
  /// this evaluator's has failed then.
  public nonisolated func evaluate(credentialPolicies: String?) async -> MfaPolicyResult {
    guard let text = credentialPolicies, !text.isEmpty else { return .success() }
    guard let wanted = (try? JSONValue(parsing: text))?.objectValue else {
      logger.w("The credential's policies are not a JSON object, and count as not met")
      return policies.first.map { .failure(policy: $0) } ?? .success()
    }
    return await evaluate(policiesJson: wanted.dictionary)
  }

  /// Evaluates the policies that `policiesJson` has as keys and this evaluator has, with the objects there as their
  /// settings. The first that fails decides; one that throws, or whose settings are something else than an object, has failed.
  /// No policies is a success.
  public nonisolated func evaluate(policiesJson: [String: Any]) async -> MfaPolicyResult {
    for policy in policies {
      guard let settings = policiesJson[policy.name] else { continue }
      guard let settings = settings as? [String: Any] else {
        logger.w("The settings of the policy \(policy.name) cannot be read, and it counts as not met")
        return .failure(policy: policy)
      }
      do {
        guard try await policy.evaluate(data: settings) else { return .failure(policy: policy) }
      } catch {
        logger.w("The policy \(policy.name) cannot be evaluated, and counts as not met", error: error)
        return .failure(policy: policy)
      }
    }
    return .success()
  }
}

/// A stored credential that policies lock.
package protocol PolicyBound: Sendable {
  var id: String { get }
  var policies: String? { get }
  var isLocked: Bool { get }
  var lockingPolicy: String? { get }
  mutating func lockCredential(policyName: String)
  mutating func unlockCredential()
}

extension MfaPolicyEvaluator {
  /// Locks or unlocks `credential` as its policies say now; returns whether that changed it.
  package nonisolated func apply(
    to credential: inout some PolicyBound, logger: any Logger
  ) async -> Bool {
    guard let policies = credential.policies, !policies.isEmpty else { return false }
    if let name = await evaluate(credentialPolicies: policies).nonCompliancePolicyName {
      guard !credential.isLocked || credential.lockingPolicy != name else { return false }
      credential.lockCredential(policyName: name)
      logger.w("The credential \(credential.id) is locked by the policy \(name)")
      return true
    }
    guard credential.isLocked else { return false }
    credential.unlockCredential()
    logger.i("The credential \(credential.id) is unlocked")
    return true
  }
}

extension MfaPolicyEvaluator {
  /// An evaluator's settings. Safe to use from any thread.
  public final class Config: Sendable {
    private let state = Locked(State())

    // One lock by hand: `Guarded` is PingOrchestrate's, which is above this module.
    private struct State {
      var policies: [any MfaPolicy] = []
      var logger: any Logger = LogManager.logger
    }

    public init() {}

    /// The policies that can be evaluated, in this order; none by default.
    public var policies: [any MfaPolicy] {
      get { state.withLock { $0.policies } }
      set { state.withLock { $0.policies = newValue } }
    }

    /// Logs policies that cannot be evaluated.
    public var logger: any Logger {
      get { state.withLock { $0.logger } }
      set { state.withLock { $0.logger = newValue } }
    }
  }
}
