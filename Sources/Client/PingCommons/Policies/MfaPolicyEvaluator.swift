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

  /// The policy with the name `policyName`.
  public func getPolicy(policyName: String) -> (any MfaPolicy)? { policies.first { $0.name == policyName } }

  /// Evaluates the policies of this evaluator that `credentialPolicies`, a JSON object, names. The first policy that fails
  /// decides, and a policy that throws has failed. Without policies the result is a success. Text that is not a JSON object
  /// could name any policy, so the first one of this evaluator then counts as failed.
  public nonisolated func evaluate(credentialPolicies: String?) async -> MfaPolicyResult {
    guard let text = credentialPolicies, !text.isEmpty else { return .success() }
    guard let wanted = (try? JSONValue(parsing: text))?.objectValue else {
      logger.w("The credential's policies are not a JSON object, and count as not met")
      return policies.first.map { .failure(policy: $0) } ?? .success()
    }
    return await evaluate(policiesJson: wanted.dictionary)
  }

  /// Evaluates the policies of this evaluator that are keys of `policiesJson`, whose values are their settings. The first
  /// policy that fails decides. A policy that throws, or whose settings are not an object, has failed. Without policies the
  /// result is a success.
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

/// A stored credential that policies can lock.
package protocol PolicyBound: Sendable {
  var id: String { get }
  var policies: String? { get }
  var isLocked: Bool { get }
  var lockingPolicy: String? { get }
  mutating func lockCredential(policyName: String)
  mutating func unlockCredential()
}

extension MfaPolicyEvaluator {
  /// Locks or unlocks `credential` as its policies require now, and returns whether that changed it.
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

    // A lock instead of `Guarded`, which belongs to PingOrchestrate, a module above this one.
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
