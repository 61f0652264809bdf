public import Foundation

/// The step whose answer a request brings, until it is used up.
public struct AnsweredStep: Sendable, Hashable {
  /// The step's id.
  public let key: [UInt8]

  /// The time until which the ledger has to remember it.
  public let expiry: Date

  /// The end of the journey, after which the answer does not count, whenever it came. Earlier than ``expiry``, so that a write that begins
  /// before it still finds the step in the ledger.
  public let deadline: Date

  /// - Parameter deadline: `nil` for the moment of `expiry`.
  package init(key: [UInt8], expiry: Date, deadline: Date? = nil) {
    self.key = key
    self.expiry = expiry
    self.deadline = deadline ?? expiry
  }

  /// The time until which the ledger remembers a step whose answer ended its run. Being later than ``expiry`` marks such a step, so that no
  /// further row or column is needed.
  public var endedExpiry: Date { expiry.addingTimeInterval(Self.endMark) }

  /// Whether the ledger says that the answer ended the run.
  func hasEnded(rememberedUntil moment: Date?) -> Bool {
    moment.map { $0.timeIntervalSince(expiry) > Self.endMark / 2 } ?? false
  }

  /// Seconds. Far more than a database rounds, and negligible beside the ledger's own times.
  private static let endMark: TimeInterval = 1
}

/// Who uses up the step that the client has answered. It is used up once, whatever the answer leads to, and before the client gets a reply.
public enum StepUse: Sendable, Hashable {
  /// The engine, before it evaluates the node.
  case beforeNode

  /// A later node or the engine: the node only reads the client's answer and the journey's state and has no effects. So it may be evaluated
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
  /// Uses the step up, unless it is used up already.
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

/// A proof that a node has judged to be right, and that is made to count in the write that makes the journey's session. What it is
/// only nodes and sessions know.
public struct DeferredProof: Sendable, Hashable {
  public let proof: any Hashable & Sendable

  public init(_ proof: any Hashable & Sendable) { self.proof = proof }

  public static func == (one: Self, other: Self) -> Bool {
    AnyHashable(one.proof) == AnyHashable(other.proof)
  }

  public func hash(into hasher: inout Hasher) { AnyHashable(proof).hash(into: &hasher) }
}
