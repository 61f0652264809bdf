public import StrictJSON

/// One step of a journey, compiled once from its definition and shared by all runs.
///
/// A node is pure. It reads and changes only the ``NodeContext`` that it is given, and reaches the outside world through protocols that its
/// initialiser was given.
public protocol JourneyNode: Sendable {
  /// The ids of the outcomes that ``evaluate(_:)`` can return, in the order in which an editor shows them.
  var outcomes: [String] { get }

  /// State variables without which the node cannot work. Loading warns when no earlier node provides one.
  var stateInputs: [String] { get }

  /// State variables that the node may set.
  var stateOutputs: [String] { get }

  /// By how much the node changes the run's authentication level, whatever its outcome.
  var authLevelIncrement: Int { get }

  /// The level from which a node that decides by the level alone takes `true`; it takes `false` below. `nil` for all other nodes.
  var authLevelRequirement: Int? { get }

  /// Who uses up the step whose answer led to the node.
  var stepUse: StepUse { get }

  /// What the author of the journey file should know about this node's configuration; reported when it is loaded.
  var warnings: [String] { get }

  /// Notes for people who move the journey here from another server; nothing is wrong.
  var notes: [String] { get }

  /// Asks the client something, or decides.
  ///
  /// Called first without ``NodeContext/reply``, and again with it after the client answered the callbacks that
  /// the node returned. An error thrown ends the journey as a failure: the client sees `Login failure`, the
  /// operator sees the error.
  func evaluate(_ context: inout NodeContext) async throws -> NodeResult
}

extension JourneyNode {
  public var stateInputs: [String] { [] }
  public var stateOutputs: [String] { [] }
  public var authLevelIncrement: Int { 0 }
  public var authLevelRequirement: Int? { nil }
  public var stepUse: StepUse { .beforeNode }
  public var warnings: [String] { [] }
  public var notes: [String] { [] }
}

/// What a node wants to happen next.
public enum NodeResult: Sendable, Hashable {
  /// Send these to the client and evaluate this node again with its answer. Must not be empty.
  case callbacks([OutgoingCallback])

  /// Follow the connection of this outcome id.
  case outcome(String)

  /// Wait until somebody comes back by the link; the node is then evaluated again, with ``NodeContext/isResumed``.
  case suspend(Suspension)
}

/// What a node can see and change during one evaluation.
public struct NodeContext: Sendable {
  /// The journey's name; empty when there is none, as in tests of single nodes.
  public let journey: String

  /// Id of the node in its journey file.
  public let nodeID: String

  /// The request that is being served.
  public let request: RequestFacts

  /// The session that the client presented when it started the journey; `nil` when it presented none that was valid.
  public let session: PresentedSession?

  /// The client's answer to this node's callbacks; `nil` before it has asked.
  public let reply: CallbackReply?

  /// Shared, transient and secure state.
  public var state: JourneyState

  /// The node's own notes (a challenge, the moment it was issued), kept sealed until it returns an outcome.
  public var notes: JSONObject

  /// The step that the client has answered, for a node that uses it up itself (``StepUse/byNode``); such a node sets it to `nil`. `nil` for
  /// all other nodes, and when nothing is left to use up.
  public var answeredStep: AnsweredStep?

  /// Outcomes after which the journey ends in a session, with no nodes in between except those that change or compare the level. A node
  /// that takes one of them may leave its proof to the write that creates the session: it sets ``deferred``.
  public var finalOutcomes: Set<String> = []

  /// The proof that the node leaves to that write; see ``finalOutcomes``. It includes the answered step, if there is one.
  public var deferred: DeferredProof?

  /// Whether the node is evaluated because somebody came back by the link of its ``Suspension``.
  public var isResumed = false

  /// Whether the client wants the person to prove themselves now, whatever they have proven before, here or elsewhere (`ForceAuth`).
  public var isForced = false

  /// Whether the journey is for the user of ``session`` alone (``JourneyOptions/isOwn``).
  public var isOwn = false

  /// Makes the link of a suspension; the node that asks for one returns ``NodeResult/suspend(_:)`` with it. `nil` where journeys
  /// cannot be suspended.
  public var makeResumeLink: (@Sendable () throws -> ResumeLink)?

  /// Receives the reason for an outcome, for the operator's log; never shown to the client.
  /// Secrets and tokens must not be put here.
  public var reasons: [String] = []

  public init(
    journey: String = "", nodeID: String, request: RequestFacts, reply: CallbackReply? = nil,
    state: JourneyState = JourneyState(), notes: JSONObject = JSONObject(), session: PresentedSession? = nil
  ) {
    self.journey = journey
    self.nodeID = nodeID
    self.request = request
    self.reply = reply
    self.state = state
    self.notes = notes
    self.session = session
  }

  /// A new link by which the journey can be resumed, once the node has returned a ``Suspension`` with it.
  ///
  /// - Throws: ``NodeRefusal`` where journeys cannot be suspended, such as inside a page.
  public func resumeLink() throws -> ResumeLink {
    guard let makeResumeLink else {
      throw NodeRefusal("journeys cannot be suspended here", detail: JSONObject())
    }
    return try makeResumeLink()
  }

  /// Records why the node decided as it did; see ``reasons``.
  public mutating func logReason(_ text: String) { reasons.append(text) }

  /// Takes `outcome`, and records why; see ``reasons``.
  public mutating func outcome(_ outcome: String, because reason: some CustomStringConvertible) -> NodeResult
  {
    logReason("\(reason)")
    return .outcome(outcome)
  }
}

/// Ends the journey as a failure, as any error of a node does, and tells the client more.
public struct NodeRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// Why, for the operator.
  public var description: String

  /// Further members for the `detail` of the client's error body: what it can do about it.
  public var detail: JSONObject

  public init(_ description: String, detail: JSONObject) {
    self.description = description
    self.detail = detail
  }
}

/// An error that says nothing about the person: a service that the node needs, such as its database, is unavailable.
///
/// It ends the journey as well, but the client is told that the service is unavailable (503). `Login failure` would read as a refusal,
/// although what the node stored may be there.
public protocol ServiceFailure: Error {
  /// Whether this value means that a service is unavailable; other values of the type are ordinary failures.
  var isUnavailability: Bool { get }
}

/// A node that gives its step a header, description and stage, as pages do.
public protocol TitledNode: JourneyNode {
  /// The texts for the step that the node has just asked, from the notes that it left.
  func texts(notes: JSONObject) -> StepTexts
}

/// The texts around the callbacks of a step.
public struct StepTexts: Sendable, Hashable {
  public var header: String?
  public var description: String?
  public var stage: String?

  public init(header: String? = nil, description: String? = nil, stage: String? = nil) {
    self.header = header
    self.description = description
    self.stage = stage
  }
}

extension JourneyState {
  private static let failureMessageKey = "journey.failureMessage"
  private static let sessionPropertiesKey = "journey.sessionProperties"

  /// Texts that the session of a successful run gets beside its own properties, for applications to read.
  public var sessionProperties: JSONObject {
    get { secure[Self.sessionPropertiesKey]?.objectValue ?? JSONObject() }
    set { secure[Self.sessionPropertiesKey] = newValue.isEmpty ? nil : .object(newValue) }
  }

  /// What the client reads in place of `Login failure` if the run fails; `nil` to keep that text.
  public var failureMessage: String? {
    get { secure[Self.failureMessageKey]?.stringValue }
    set { secure[Self.failureMessageKey] = newValue.map(JSONValue.string) }
  }
}
