public import Foundation

/// The step that a request answers, until it is used up.
public struct AnsweredStep: Sendable, Hashable {
  /// The step's id.
  public let key: [UInt8]

  /// The time until which the ledger has to remember it.
  public let expiry: Date

  /// The end of the journey; later the answer no longer counts, no matter when it arrived. It is earlier than ``expiry``, so that a write
  /// that begins before the deadline still finds the step in the ledger.
  public let deadline: Date

  /// - Parameter deadline: `nil` for the same time as `expiry`.
  package init(key: [UInt8], expiry: Date, deadline: Date? = nil) {
    self.key = key
    self.expiry = expiry
    self.deadline = deadline ?? expiry
  }

  /// The time until which the ledger remembers a step whose answer ended its run. It is later than ``expiry``, which marks such a step
  /// without a further row or column.
  public var endedExpiry: Date { expiry.addingTimeInterval(Self.endMark) }

  /// Whether the ledger says that the answer ended the run.
  func hasEnded(rememberedUntil moment: Date?) -> Bool {
    moment.map { $0.timeIntervalSince(expiry) > Self.endMark / 2 } ?? false
  }

  /// Seconds: far more than a database rounds, and negligible beside the ledger's own times.
  private static let endMark: TimeInterval = 1
}

/// Says who uses up the step that the client has answered: once, whatever the answer leads to, and before the client gets a reply.
public enum StepUse: Sendable, Hashable {
  /// The engine, before it evaluates the node.
  case beforeNode

  /// A later node or the engine. The node only reads the client's answer and the journey's state and has no effects, so it may be evaluated
  /// for an answer that turns out to be a repetition.
  case later

  /// The node, in its first call to its store: ``NodeContext/answeredStep`` is set until then. The engine uses the step up when the node
  /// does not. A node whose own question was answered finds the step used up.
  case byNode

  /// The node, when its own question was answered, in the write that makes the answer count: ``NodeContext/answeredStep`` is set until
  /// then. Before that it only reads and computes. Before any other effect, such as counting a failure, it uses the step up in a write of
  /// its own. The engine uses the step up when the node does neither, and before a node that has not asked yet.
  case withAnswer
}

/// A node found that the step was used up before: the answer is a repetition and has no effect.
public struct StepWasUsed: Error, Sendable {
  public init() {}
}

/// Remembers which steps have been answered, for all servers of a cluster.
public protocol StepLedger: Sendable {
  /// Records `key` until `expiry`. `true` for exactly one caller, `false` when it was recorded before.
  /// One conditional write; durable when it returns.
  func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool

  /// Remembers `key` until a later moment; does nothing when it was not recorded. One write; durable when it returns.
  func prolong(_ key: [UInt8], until expiry: Date) async throws

  /// The time until which `key` is remembered; `nil` when it was not recorded.
  func expiry(of key: [UInt8]) async throws -> Date?
}

extension StepLedger {
  /// Uses the step up; throws when it was used up before.
  func use(_ step: AnsweredStep) async throws(JourneyRefusal) {
    let isFirst: Bool
    do { isFirst = try await consume(step.key, until: step.expiry) } catch {
      throw .unavailable("the step could not be recorded: \(error)")
    }
    guard isFirst else { throw .answeredBefore }
  }
}

extension JourneyRefusal {
  static let answeredBefore = JourneyRefusal.stale("it has been answered before")
}

/// A proof that a node has verified and that takes effect in the write that creates the journey's session. Only nodes and sessions know its
/// type.
public struct DeferredProof: Sendable, Hashable {
  public let proof: any Hashable & Sendable

  public init(_ proof: any Hashable & Sendable) { self.proof = proof }

  public static func == (one: Self, other: Self) -> Bool {
    AnyHashable(one.proof) == AnyHashable(other.proof)
  }

  public func hash(into hasher: inout Hasher) { AnyHashable(proof).hash(into: &hasher) }
}
