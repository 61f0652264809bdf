public import Foundation

/// The step whose answer a request brings, until it is used up.
public struct AnsweredStep: Sendable, Hashable {
  /// The step's id.
  public let key: [UInt8]

  /// Until then the ledger has to remember it.
  public let expiry: Date

  /// The end of the journey: from then on the answer does not count, whenever it came. Earlier than ``expiry``, so that a write
  /// which begins before it finds what the ledger remembers.
  public let deadline: Date

  /// - Parameter deadline: `nil` for the moment of `expiry`.
  package init(key: [UInt8], expiry: Date, deadline: Date? = nil) {
    self.key = key
    self.expiry = expiry
    self.deadline = deadline ?? expiry
  }

  /// Until then the ledger remembers a step whose answer ended its run. That this is later than ``expiry`` is the mark: it needs no row
  /// and no column of its own, and goes with the step.
  public var endedExpiry: Date { expiry.addingTimeInterval(Self.endMark) }

  /// Whether what the ledger remembers says that the answer ended the run.
  func hasEnded(rememberedUntil moment: Date?) -> Bool {
    moment.map { $0.timeIntervalSince(expiry) > Self.endMark / 2 } ?? false
  }

  /// Seconds. Far more than a database rounds, and nothing beside what the ledger keeps anyway.
  private static let endMark: TimeInterval = 1
}

/// Who uses up the step that the client has answered. It is used up once, whatever follows of the answer, and before the
/// client gets one.
public enum StepUse: Sendable, Hashable {
  /// The engine, before it evaluates the node.
  case beforeNode

  /// Somebody later: the node reads the client's answer and the journey's state, and nothing that it does can be noticed. So it
  /// may be evaluated for an answer that turns out to be the second one.
  case later

  /// The node, with the first thing that it asks its store: ``NodeContext/answeredStep`` is there until it has. The engine makes
  /// up for a node that does not. A node whose own question was answered finds the step used up.
  case byNode

  /// The node, when its own question was answered, in the write that makes the answer count: ``NodeContext/answeredStep`` is there
  /// until it has. Until then it only reads and computes. Before anything else that can be noticed, such as counting a failure, it
  /// uses the step up by itself. The engine makes up for a node that does neither, and uses the step up before a node that is
  /// still to ask.
  case withAnswer
}

/// A node found that the step was used up before: the answer is the second one, and nothing comes of it.
public struct StepWasUsed: Error, Sendable {
  public init() {}
}

/// Remembers which steps have been answered, for all servers of a cluster.
public protocol StepLedger: Sendable {
  /// Records `key` until `expiry`. `true` for exactly one caller, `false` when it was recorded before.
  /// One conditional write; durable when it returns.
  func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool

  /// Remembers `key` until a later moment; nothing when it was not recorded. One write; durable when it returns.
  func prolong(_ key: [UInt8], until expiry: Date) async throws

  /// Until when `key` is remembered; `nil` when it was not recorded.
  func expiry(of key: [UInt8]) async throws -> Date?
}

extension StepLedger {
  /// Uses the step up, unless somebody has.
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
