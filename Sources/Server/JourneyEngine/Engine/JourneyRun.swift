internal import Logging
internal import StrictJSON

/// One request's run through a journey: from a node along connections to the next question or the end, through inner journeys.
struct JourneyRun {
  /// See ``JourneyObserver``.
  let id: String?

  /// The journey that the client started.
  let root: CompiledJourney

  /// The journey that runs now: ``root``, or one inside it.
  private var journey: CompiledJourney

  /// The journeys around it, each with the node that waits for the end of the one inside; from the outermost on.
  private var around: [Frame]
  let request: RequestFacts
  private let options: JourneyOptions
  private let startedAt: Int64
  private let expiresAt: Int64
  private let session: PresentedSession?
  private var state: JourneyState

  /// The step that the request answers, until it is used up; `nil` for a start.
  private var step: AnsweredStep?

  /// The step that the request answers, used up or not.
  private var answered: AnsweredStep?

  /// What the node that ended the journey left to the write that makes the session.
  private var deferred: DeferredProof?

  /// Whether somebody came back by the link of the first node's suspension.
  private var isResumed = false

  /// Makes a link for a suspension; `nil` where journeys cannot be suspended.
  var makeResumeLink: (@Sendable () throws -> ResumeLink)?

  /// The reasons that nodes gave, then the cause if the run ended in an error.
  private var reasons: [String] = []

  /// The refusal of a node, with what it tells the client.
  private var refusal: NodeRefusal?

  /// Most nodes evaluated in one request: connections may form a loop of nodes that ask nothing.
  private static let maximumEvaluations = 100

  private struct Frame {
    let journey: CompiledJourney
    let node: Int
  }

  /// Where the run ended.
  enum Arrival {
    case asks(CompiledNode, [OutgoingCallback], notes: JSONObject)
    case suspends(CompiledNode, Suspension, notes: JSONObject)
    case success
    case failure
    /// A node's ``ServiceFailure``, for the operator.
    case unavailable(String)
  }

  init(
    id: String?, journey: CompiledJourney, request: RequestFacts, options: JourneyOptions,
    state: JourneyState, session: PresentedSession?, startedAt: Int64, expiresAt: Int64
  ) {
    self.id = id
    root = journey
    self.journey = journey
    around = []
    self.request = request
    self.options = options
    self.state = state
    self.session = session
    self.startedAt = startedAt
    self.expiresAt = expiresAt
  }

  /// Continues from a position.
  ///
  /// - Parameters:
  ///   - journey: in the version of the position.
  ///   - step: what the request answers; `nil` when it resumes a suspended journey.
  ///   - expiresAt: milliseconds since 1970.
  /// - Returns: the run with the node to continue at; `nil` when the journey has no such place.
  static func at(
    _ position: JourneyPosition, in journey: CompiledJourney, request: RequestFacts, options: JourneyOptions,
    answering step: AnsweredStep?, expiresAt: Int64
  ) -> (run: JourneyRun, node: Int)? {
    guard var node = journey.index(ofNode: position.node) else { return nil }
    var run = JourneyRun(
      id: position.id, journey: journey, request: request, options: position.options.union(options),
      state: position.state, session: position.session, startedAt: position.startedAt, expiresAt: expiresAt)
    for inner in position.inside {
      guard run.around.count < CompiledJourney.maximumDepth,
        run.journey.nodes[node].innerJourney == inner.journey,
        let next = run.journey.inner[inner.journey], let place = next.index(ofNode: inner.node)
      else { return nil }
      run.around.append(Frame(journey: run.journey, node: node))
      run.journey = next
      node = place
    }
    run.step = step
    run.answered = step
    run.isResumed = step == nil
    return (run, node)
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
    var evaluations = 0
    while true {
      if let stranger {
        reasons.append(stranger)
        return .failure
      }
      let index: Int
      switch target {
      case .node(let place): index = place
      case .success, .failure:
        // The end of an inner journey is an outcome of the node that runs it.
        guard let frame = around.popLast() else { return target == .success ? .success : .failure }
        journey = frame.journey
        let outcome = target == .success ? "true" : "false"
        let node = journey.nodes[frame.node]
        observer?.visited(visit(node, .outcome(outcome)))
        guard let next = node.target(of: outcome) else {
          guard
            let next = fail(
              "outcome \(outcome) is not connected", at: node, logger: logger, observer: observer)
          else {
            return .failure
          }
          target = next
          continue
        }
        target = next
        continue
      }
      let node = journey.nodes[index]
      guard evaluations < Self.maximumEvaluations else {
        around = []
        _ = fail(
          "more than \(Self.maximumEvaluations) nodes without a question to the client", at: node,
          logger: logger, observer: observer)
        return .failure
      }
      evaluations += 1
      if let name = node.innerJourney {
        if let inner = journey.inner[name], around.count < CompiledJourney.maximumDepth {
          around.append(Frame(journey: journey, node: index))
          journey = inner
          target = inner.entry
        } else {
          // An error of the inner journey, as this node sees it.
          around.append(Frame(journey: journey, node: index))
          let cause = "the journey \(name) cannot run inside this one: it is not in the realm"
          guard let next = fail(cause, at: node, logger: logger, observer: observer) else { return .failure }
          target = next
        }
        continue
      }
      var context = NodeContext(
        journey: journey.name, nodeID: node.id, request: request, reply: reply, state: state, notes: notes,
        session: session)
      context.isResumed = isResumed
      context.isForced = options.forceAuth
      context.isOwn = options.isOwn
      context.makeResumeLink = makeResumeLink
      let usesStep = node.node.stepUse == (reply == nil ? .byNode : .withAnswer)
      if !usesStep, node.node.stepUse != .later { try await useStep(ledger) }
      if usesStep { context.answeredStep = step }
      if usesStep, request.allowsDeferral, !options.noSession, !root.noSession {
        context.finalOutcomes = finalOutcomes(of: node)
      }
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
        deferred = context.deferred
        take(from: &context, of: node, logger: logger)
        observer?.visited(visit(node, result))
      } catch {
        if usesStep { step = context.answeredStep }
        refusal = error as? NodeRefusal
        note(hasFailed: refusal == nil)
        if error is StepWasUsed { throw .answeredBefore }
        let isUnavailability = (error as? any ServiceFailure)?.isUnavailability == true
        do {
          // What failed may have been the step itself: then this says so, and the client may try again.
          try await useStep(ledger)
        } catch  where isUnavailability {
          // The write may have used it up and may have stored its data: this is not a refusal.
          throw .unavailable("\(node.label): \(error)")
        }
        take(from: &context, of: node, logger: logger)
        observer?.visited(visit(node, nil))
        // The node did its work, so this is not logged as a fault.
        guard refusal == nil else {
          reasons.append("\(node.label): \(error)")
          return .failure
        }
        if isUnavailability {
          around = []
          _ = fail("\(error)", at: node, logger: logger, observer: observer)
          return .unavailable("\(node.label): \(error)")
        }
        guard let next = fail("\(error)", at: node, logger: logger, observer: observer) else {
          return .failure
        }
        (target, reply, notes, isResumed) = (next, nil, JSONObject(), false)
        continue
      }
      switch result {
      case .callbacks(let callbacks):
        if !callbacks.isEmpty { return .asks(node, callbacks, notes: context.notes) }
        guard let next = fail("the node returned no callbacks", at: node, logger: logger, observer: observer)
        else {
          return .failure
        }
        target = next
      case .outcome(let outcome):
        if let next = node.target(of: outcome) {
          logger.debug("node decided", metadata: ["node": "\(node.label)", "outcome": "\(outcome)"])
          target = next
        } else {
          guard
            let next = fail(
              "outcome \(outcome) is not connected", at: node, logger: logger, observer: observer)
          else {
            return .failure
          }
          target = next
        }
      case .suspend(let suspension): return .suspends(node, suspension, notes: context.notes)
      }
      (reply, notes, isResumed) = (nil, JSONObject(), false)
    }
  }

  /// Why a journey for the session's own user ends: it has found somebody else, before a node could do anything for them.
  private var stranger: String? {
    guard options.isOwn, let name = state.username, name != session?.username else { return nil }
    return
      "the journey was started for \(JSONValue.string(session?.username ?? "").text), and found \(JSONValue.string(name).text)"
  }

  /// The outcomes of a node after which no other node is evaluated, and the journey has succeeded.
  private func finalOutcomes(of node: CompiledNode) -> Set<String> {
    // An inner journey's end is an outcome of the node around it.
    let endsAll = around.allSatisfy { $0.journey.nodes[$0.node].target(of: "true") == .success }
    guard endsAll else { return [] }
    return Set(node.connections.filter { $0.target == .success }.map(\.outcome))
  }

  private func visit(_ node: CompiledNode, _ result: NodeResult?) -> NodeVisit {
    NodeVisit(
      journey: journey.name, realm: journey.realm, nodeID: node.id, displayName: node.displayName,
      type: node.type, result: result, state: state)
  }

  private mutating func take(from context: inout NodeContext, of node: CompiledNode, logger: Logger) {
    state = context.state
    for reason in context.reasons {
      reasons.append("\(node.label): \(reason)")
      logger.info("\(reason)", metadata: ["node": "\(node.label)", "journey": "\(journey.name)"])
    }
  }

  /// Notes an error. It ends the journey, unless an enclosing node handles the errors of its inner journey.
  ///
  /// - Returns: where that node's outcome for errors leads.
  private mutating func fail(
    _ cause: String, at node: CompiledNode, logger: Logger, observer: (any JourneyObserver)?
  ) -> ConnectionTarget? {
    note(cause, at: node, logger: logger)
    while let frame = around.popLast() {
      let node = frame.journey.nodes[frame.node]
      guard (node.node as? InnerJourneyNode)?.showsError == true,
        let next = node.target(of: InnerJourneyNode.error)
      else { continue }
      journey = frame.journey
      observer?.visited(visit(node, .outcome(InnerJourneyNode.error)))
      return next
    }
    return nil
  }

  /// Notes why the run cannot continue at `node`.
  mutating func note(_ cause: String, at node: CompiledNode, logger: Logger) {
    reasons.append("\(node.label): \(cause)")
    logger.warning(
      "a node could not do its work: \(cause)",
      metadata: ["node": "\(node.label)", "journey": "\(journey.name)", "realm": "\(journey.realm)"])
  }

  var success: JourneySuccess {
    var kept = state
    kept.transient = JSONObject()
    return JourneySuccess(
      journey: root.name, realm: root.realm, username: state.username,
      noSession: options.noSession || root.noSession, state: kept, options: options, session: session,
      answeredStep: answered, deferred: deferred)
  }

  var failure: JourneyFailure {
    var failure = JourneyFailure(
      journey: root.name, realm: root.realm, username: state.username, reasons: reasons)
    failure.note(state)
    if let refusal { failure.detail.merge(refusal.detail) }
    if let message = state.failureMessage { failure.message = message }
    return failure
  }

  func position(at node: CompiledNode, callbacks: [OutgoingCallback], notes: JSONObject) -> JourneyPosition {
    // Each place belongs to the journey that the frame before it runs inside.
    let places = around.map { $0.journey.nodes[$0.node].id } + [node.id]
    let names = around.dropFirst().map(\.journey.name) + (around.isEmpty ? [] : [journey.name])
    return JourneyPosition(
      id: id, journey: root.name, version: root.version, realm: root.realm, node: places[0],
      inside: zip(names, places.dropFirst()).map { InnerPosition(journey: $0, node: $1) }, notes: notes,
      state: state, options: options, asked: callbacks.map(AskedCallback.init), session: session,
      startedAt: startedAt, expiresAt: expiresAt)
  }
}
