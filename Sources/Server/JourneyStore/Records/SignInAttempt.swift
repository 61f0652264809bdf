internal import Bytes
package import Foundation
internal import StrictJSON

/// What one run of a journey did, for those who help people sign in: which nodes it came to, what each decided, and how it ended. It
/// contains no secret and no input of the person.
package struct SignInAttempt: Sendable, Hashable {
  /// How far the run has come.
  package enum State: String, Sendable, Hashable, CaseIterable {
    /// The run waits for the person, or the person has left.
    case open
    case success
    case failure
  }

  /// The state of a run at a moment, without its texts.
  package struct Mark: Sendable, Hashable {
    package var journey: String
    package var state: State
    package var time: Date

    /// The network address that it came from; `nil` when that is not known.
    package var address: String?
  }

  /// A node that asked, that decided something, or that could not do its work.
  package struct Step: Sendable, Hashable {
    package var journey: String
    package var node: String
    package var name: String
    package var type: String

    /// ``asked`` when the node asked the person; `nil` when it could not do its work.
    package var outcome: String?

    /// The outcome of nodes that asked something. No other outcome is empty.
    package static let asked = ""

    package init(journey: String, node: String, name: String, type: String, outcome: String?) {
      self.journey = journey
      self.node = node
      self.name = name
      self.type = type
      self.outcome = outcome
    }
  }

  package var realm: String

  /// The id of the run; the same in the server's log.
  package var run: String

  /// The journey that the client started.
  package var journey: String

  /// The key of the account's name, once the journey knew a name; the account need not exist.
  package var account: String?

  /// When it began, as far as it was seen, and when something last happened.
  package var startedAt: Date
  package var latest: Date
  package var state: State
  package var steps: [Step]

  /// Why it failed, for the operator; `nil` unless it did.
  package var reason: String?

  /// The network address that its latest part came from; `nil` when that is not known.
  package var address: String?

  package init(
    realm: String, run: String, journey: String, account: String?, startedAt: Date, latest: Date,
    state: State, steps: [Step], reason: String? = nil, address: String? = nil
  ) {
    self.realm = realm
    self.run = run
    self.journey = journey
    self.account = account
    self.startedAt = startedAt
    self.latest = latest
    self.state = state
    self.steps = Array(steps.suffix(Self.mostSteps))
    self.reason = reason
    self.address = address
  }

  /// The number of steps that are kept of one part of a run: the latest ones.
  package static let mostSteps = 60

  /// How long a run is kept. Seconds.
  package static let retention: TimeInterval = 30 * 86_400

  /// Longest name and reason that is kept, in characters.
  private static let longestText = 300

  /// The node at which the run ended; in a failed run, the node that refused.
  package var last: Step? { steps.last }

  /// The stored form of the steps: a list of lists, because there are many.
  var stepsJSON: JSONValue {
    .array(
      steps.map { step in
        let texts = [step.journey, step.node, step.name, step.type, step.outcome]
        return .array(texts.map { $0.map { .string($0.bounded(to: Self.longestText)) } ?? .null })
      })
  }

  var shortReason: String? { reason.map { $0.bounded(to: Self.longestText) } }

  static func steps(from json: JSONValue?) -> [Step] {
    (json?.arrayValue ?? []).compactMap { step in
      guard let journey = step[0]?.stringValue, let node = step[1]?.stringValue,
        let name = step[2]?.stringValue, let type = step[3]?.stringValue
      else { return nil }
      return Step(journey: journey, node: node, name: name, type: type, outcome: step[4]?.stringValue)
    }
  }

  /// Adds a later part of the same run, which may have continued on another server.
  package mutating func add(_ later: SignInAttempt) {
    steps = Array((steps + later.steps).suffix(2 * Self.mostSteps))
    latest = max(latest, later.latest)
    startedAt = min(startedAt, later.startedAt)
    account = later.account ?? account
    reason = later.reason ?? reason
    address = later.address ?? address
    if state == .open { state = later.state }
  }
}
