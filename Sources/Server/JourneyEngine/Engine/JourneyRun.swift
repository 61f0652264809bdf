internal import Logging
internal import StrictJSON

/// One request's run through a journey: from a node along connections to the next question or the end.
struct JourneyRun {
  /// See ``JourneyObserver``.
  let id: String?
  let journey: CompiledJourney
  let request: RequestFacts
  private let options: JourneyOptions
  private let startedAt: Int64
  private let expiresAt: Int64
  private let session: PresentedSession?
  private var state: JourneyState

  /// What the request answers, until it is used up; `nil` for a start.
  private var step: AnsweredStep?

  /// The reasons that nodes gave, then the cause if the run ended in an error.
  private var reasons: [String] = []

  /// The refusal of a node, with what it tells the client.
  private var refusal: NodeRefusal?

  /// Most nodes evaluated in one request: connections may form a loop of nodes that ask nothing.
  private static let maximumEvaluations = 100

  /// Where the run ended.
  enum Arrival {
    case asks(CompiledNode, [OutgoingCallback], notes: JSONObject)
    case success
    case failure
    /// A node's ``ServiceFailure``, for the operator.
    case unavailable(String)
  }

  init(
    id: String?, journey: CompiledJourney, request: RequestFacts, options: JourneyOptions,
    state: JourneyState, session: PresentedSession?, startedAt: Int64, expiresAt: Int64,
    answering step: AnsweredStep? = nil
  ) {
    self.id = id
    self.journey = journey
    self.request = request
    self.options = options
    self.state = state
    self.session = session
    self.startedAt = startedAt
    self.expiresAt = expiresAt
    self.step = step
  }

  init(
    journey: CompiledJourney, request: RequestFacts, position: JourneyPosition, options: JourneyOptions,
    answering step: AnsweredStep
  ) {
    self.init(
      id: position.id, journey: journey, request: request, options: position.options.union(options),
      state: position.state, session: position.session, startedAt: position.startedAt,
      expiresAt: position.expiresAt, answering: step)
  }

  /// Evaluates nodes from `target` on until one asks the client or an end is reached. The step is used up by then.
  ///
  /// - Parameters:
  ///   - reply: the client's answer to the first node.
  ///   - notes: the first node's notes.
  /// - Throws: ``JourneyRefusal/stale(_:)`` when the step was used up before, ``JourneyRefusal/unavailable(_:)``.
  mutating func advance(
    to target: ConnectionTarget, reply: CallbackReply? = nil, notes: JSONObject = JSONObject(),
    ledger: any StepLedger, logger: Logger, observer: (any JourneyObserver)? = nil
  ) async throws(JourneyRefusal) -> Arrival {
    let arrival = try await walk(
      to: target, reply: reply, notes: notes, ledger: ledger, logger: logger, observer: observer)
    try await useStep(ledger)
    return arrival
  }

  private mutating func useStep(_ ledger: any StepLedger) async throws(JourneyRefusal) {
    guard let step else { return }
    try await ledger.use(step)
    self.step = nil
  }

  private mutating func walk(
    to target: ConnectionTarget, reply: CallbackReply?, notes: JSONObject, ledger: any StepLedger,
    logger: Logger, observer: (any JourneyObserver)?
  ) async throws(JourneyRefusal) -> Arrival {
    var target = target
    var reply = reply
    var notes = notes
    for _ in 0..<Self.maximumEvaluations {
      guard case .node(let index) = target else { return target == .success ? .success : .failure }
      let node = journey.nodes[index]
      var context = NodeContext(
        journey: journey.name, nodeID: node.id, request: request, reply: reply, state: state, notes: notes,
        session: session)
      let usesStep = node.node.stepUse == .byNode && reply == nil
      if !usesStep, node.node.stepUse != .later { try await useStep(ledger) }
      if usesStep { context.answeredStep = step }
      // One owner, so that the node changes state in place.
      state = JourneyState()
      let began = observer == nil ? nil : ContinuousClock.now
      func note(hasFailed: Bool) {
        guard let observer, let began else { return }
        observer.evaluated(node: node.type, in: began.duration(to: .now), hasFailed: hasFailed)
      }
      let result: NodeResult
      do {
        result = try await node.node.evaluate(&context)
        note(hasFailed: false)
        if usesStep { step = context.answeredStep }
        take(from: &context, of: node, logger: logger)
      } catch {
        if usesStep { step = context.answeredStep }
        refusal = error as? NodeRefusal
        note(hasFailed: refusal == nil)
        if error is StepWasUsed { throw .answeredBefore }
        // What failed may have been the step itself: then this says so, and the client may try again.
        try await useStep(ledger)
        take(from: &context, of: node, logger: logger)
        // The node did its work, so this is not logged as a fault.
        guard refusal == nil else {
          reasons.append("\(node.label): \(error)")
          return .failure
        }
        let arrival = fail("\(error)", at: node, logger: logger)
        guard (error as? any ServiceFailure)?.isUnavailability == true else { return arrival }
        return .unavailable("\(node.label): \(error)")
      }
      switch result {
      case .callbacks(let callbacks):
        guard !callbacks.isEmpty else {
          return fail("the node returned no callbacks", at: node, logger: logger)
        }
        return .asks(node, callbacks, notes: context.notes)
      case .outcome(let outcome):
        guard let next = node.target(of: outcome) else {
          return fail("outcome \(outcome) is not connected", at: node, logger: logger)
        }
        logger.debug("node decided", metadata: ["node": "\(node.label)", "outcome": "\(outcome)"])
        target = next
      case .suspend:
        return fail("the journey cannot be suspended", at: node, logger: logger)
      }
      reply = nil
      notes = JSONObject()
    }
    switch target {
    case .success: return .success
    case .failure: return .failure
    case .node(let index):
      return fail(
        "more than \(Self.maximumEvaluations) nodes without a question to the client",
        at: journey.nodes[index],
        logger: logger)
    }
  }

  private mutating func take(from context: inout NodeContext, of node: CompiledNode, logger: Logger) {
    state = context.state
    for reason in context.reasons {
      reasons.append("\(node.label): \(reason)")
      logger.info("\(reason)", metadata: ["node": "\(node.label)", "journey": "\(journey.name)"])
    }
  }

  private mutating func fail(_ cause: String, at node: CompiledNode, logger: Logger) -> Arrival {
    reasons.append("\(node.label): \(cause)")
    logger.warning(
      "a node could not do its work: \(cause)",
      metadata: ["node": "\(node.label)", "journey": "\(journey.name)", "realm": "\(journey.realm)"])
    return .failure
  }

  var success: JourneySuccess {
    var kept = state
    kept.transient = JSONObject()
    return JourneySuccess(
      journey: journey.name, realm: journey.realm, username: state.username,
      noSession: options.noSession || journey.noSession, state: kept, options: options, session: session)
  }

  var failure: JourneyFailure {
    var failure = JourneyFailure(
      journey: journey.name, realm: journey.realm, username: state.username, reasons: reasons)
    if let refusal { failure.detail.merge(refusal.detail) }
    if let message = state.failureMessage { failure.message = message }
    return failure
  }

  func position(at node: CompiledNode, callbacks: [OutgoingCallback], notes: JSONObject) -> JourneyPosition {
    JourneyPosition(
      id: id, journey: journey.name, realm: journey.realm, node: node.id, notes: notes, state: state,
      options: options,
      asked: callbacks.map(AskedCallback.init), session: session, startedAt: startedAt, expiresAt: expiresAt)
  }
}
