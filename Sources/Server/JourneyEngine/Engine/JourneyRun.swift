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

  /// The journeys around ``journey``, outermost first, each with the node that waits for its inner journey to end.
  private var around: [Frame]
  let request: RequestFacts
  private let options: JourneyOptions
  private let startedAt: Int64
  private let expiresAt: Int64
  private let session: PresentedSession?
  private let dependencies: Dependencies
  private var state: JourneyState

  /// The step that the request answers, until it is used up; `nil` for a start.
  private var step: AnsweredStep?

  /// The step that the request answers, used up or not.
  private var answered: AnsweredStep?

  /// The proof that the last node left to the write that creates the session.
  private var deferred: DeferredProof?

  /// Whether somebody followed the link of the first node's suspension.
  private var isResumed = false

  /// The reasons that nodes gave, then the cause if the run ended in an error.
  private var reasons: [String] = []

  /// The refusal of a node, with what it tells the client.
  private var refusal: NodeRefusal?

  /// The most nodes evaluated in one request: connections may form a loop of nodes that ask nothing.
  private static let maximumEvaluations = 100

  private struct Frame {
    let journey: CompiledJourney
    let node: Int
  }

  /// What the engine gives to each run.
  struct Dependencies {
    let steps: any StepLedger
    let logger: Logger
    let observer: (any JourneyObserver)?

    /// Makes a link for a suspension; `nil` where journeys cannot be suspended.
    let makeResumeLink: (@Sendable () throws -> ResumeLink)?
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
    state: JourneyState, session: PresentedSession?, startedAt: Int64, expiresAt: Int64,
    _ dependencies: Dependencies
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
    self.dependencies = dependencies
  }

  /// Continues from a position.
  ///
  /// - Parameters:
  ///   - journey: the journey in the version of the position.
  ///   - step: what the request answers; `nil` when it resumes a suspended journey.
  ///   - expiresAt: milliseconds since 1970.
  /// - Returns: the run with the node to continue at; `nil` when the journey has no such place.
  static func at(
    _ position: JourneyPosition, in journey: CompiledJourney, request: RequestFacts, options: JourneyOptions,
    answering step: AnsweredStep?, expiresAt: Int64, _ dependencies: Dependencies
  ) -> (run: JourneyRun, node: Int)? {
    guard var node = journey.index(ofNode: position.node) else { return nil }
    var run = JourneyRun(
      id: position.id, journey: journey, request: request, options: position.options.union(options),
      state: position.state, session: position.session, startedAt: position.startedAt, expiresAt: expiresAt,
      dependencies)
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
    to target: ConnectionTarget, reply: CallbackReply? = nil, notes: JSONObject = JSONObject()
  ) async throws(JourneyRefusal) -> Arrival {
    let arrival = try await walk(to: target, reply: reply, notes: notes)
    // Without a session the proof would be lost, and its step would stay unused.
    if deferred != nil {
      guard case .success = arrival else {
        throw .unavailable("a proof was left for a session that is not created")
      }
    }
    try await useStep()
    return arrival
  }

  private mutating func useStep() async throws(JourneyRefusal) {
    guard let step else { return }
    try await dependencies.steps.use(step)
    self.step = nil
  }

  private mutating func walk(
    to target: ConnectionTarget, reply: CallbackReply?, notes: JSONObject
  ) async throws(JourneyRefusal) -> Arrival {
    var (target, reply, notes) = (target, reply, notes)
    var evaluations = 0
    while true {
      if let stranger {
        reasons.append(stranger)
        return .failure
      }
      guard case .node(let index) = target else {
        let isSuccess = target == .success
        guard let next = leave(isSuccess) else { return isSuccess ? .success : .failure }
        target = next
        continue
      }
      let node = journey.nodes[index]
      guard evaluations < Self.maximumEvaluations else {
        note("more than \(Self.maximumEvaluations) nodes without a question to the client", at: node)
        return .failure
      }
      evaluations += 1
      if let name = node.innerJourney {
        target = enter(name, at: index)
        continue
      }
      switch try await evaluate(node, reply, notes) {
      case .next(let next): target = next
      case .end(let arrival): return arrival
      }
      (reply, notes, isResumed) = (nil, JSONObject(), false)
    }
  }

  // MARK: Inner journeys

  private mutating func enter(_ name: String, at index: Int) -> ConnectionTarget {
    let (inner, isPossible) = (journey.inner[name], around.count < CompiledJourney.maximumDepth)
    around.append(Frame(journey: journey, node: index))
    guard let inner, isPossible else {
      // The node sees this as an error of its inner journey.
      return fail(
        "the journey \(name) cannot run inside this one: it is not in the realm", at: journey.nodes[index])
    }
    journey = inner
    return inner.entry
  }

  /// Leaves an inner journey: its end is an outcome of the node that runs it. `nil` when no journey is around the current one.
  private mutating func leave(_ isSuccess: Bool) -> ConnectionTarget? {
    guard let frame = around.popLast() else { return nil }
    journey = frame.journey
    let node = journey.nodes[frame.node]
    let outcome = isSuccess ? "true" : "false"
    dependencies.observer?.visited(visit(node, .outcome(outcome)))
    return target(of: outcome, of: node)
  }

  // MARK: One node

  private enum Move {
    case next(ConnectionTarget)
    case end(Arrival)
  }

  private mutating func evaluate(
    _ node: CompiledNode, _ reply: CallbackReply?, _ notes: JSONObject
  ) async throws(JourneyRefusal) -> Move {
    var context = NodeContext(
      journey: journey.name, nodeID: node.id, request: request, reply: reply, state: state, notes: notes,
      session: session)
    context.isResumed = isResumed
    context.isForced = options.forceAuth
    context.isOwn = options.isOwn
    context.makeResumeLink = dependencies.makeResumeLink
    let usesStep = node.node.stepUse == (reply == nil ? .byNode : .withAnswer)
    if !usesStep, node.node.stepUse != .later { try await useStep() }
    if usesStep { context.answeredStep = step }
    // A run for the session's user may still end because it has found somebody else.
    if usesStep, request.allowsDeferral, !options.noSession, !options.isOwn, !root.noSession {
      context.finalOutcomes = finalOutcomes(of: node)
    }
    // The context becomes the only owner of the state, so that the node changes it in place.
    state = JourneyState()
    let began = dependencies.observer.map { _ in ContinuousClock.now }
    let result: Result<NodeResult, any Error>
    do { result = .success(try await node.node.evaluate(&context)) } catch { result = .failure(error) }
    if usesStep { step = context.answeredStep }
    if case .failure(let error) = result { refusal = error as? NodeRefusal }
    if let began {
      let hasFailed = (try? result.get()) == nil && refusal == nil
      dependencies.observer?.evaluated(node: node.type, in: began.duration(to: .now), hasFailed: hasFailed)
    }
    switch result {
    case .success(let result):
      deferred = context.deferred ?? deferred
      take(from: &context, of: node, result)
      return move(after: result, of: node, context.notes)
    case .failure(let error): return try await move(after: error, of: node, &context)
    }
  }

  private mutating func move(
    after result: NodeResult, of node: CompiledNode, _ notes: JSONObject
  ) -> Move {
    switch result {
    case .callbacks(let callbacks) where callbacks.isEmpty:
      return .next(fail("the node returned no callbacks", at: node))
    case .callbacks(let callbacks): return .end(.asks(node, callbacks, notes: notes))
    case .outcome(let outcome):
      dependencies.logger.debug(
        "node decided", metadata: ["node": "\(node.label)", "outcome": "\(outcome)"])
      return .next(target(of: outcome, of: node))
    case .suspend(let suspension): return .end(.suspends(node, suspension, notes: notes))
    }
  }

  private mutating func move(
    after error: any Error, of node: CompiledNode, _ context: inout NodeContext
  ) async throws(JourneyRefusal) -> Move {
    if error is StepWasUsed { throw .answeredBefore }
    let isUnavailability = (error as? any ServiceFailure)?.isUnavailability == true
    do {
      // If the step itself could not be written, this throws as well, and the client may try again.
      try await useStep()
    } catch  where isUnavailability {
      // The node's write may have used up the step and stored its data, so this is not a refusal.
      throw .unavailable("\(node.label): \(error)")
    }
    take(from: &context, of: node, nil)
    // The node did its work, so this is not logged as a fault.
    guard refusal == nil else {
      reasons.append("\(node.label): \(error)")
      return .end(.failure)
    }
    guard isUnavailability else { return .next(fail("\(error)", at: node)) }
    note("\(error)", at: node)
    return .end(.unavailable("\(node.label): \(error)"))
  }

  private mutating func target(of outcome: String, of node: CompiledNode) -> ConnectionTarget {
    node.target(of: outcome) ?? fail("outcome \(outcome) is not connected", at: node)
  }

  /// The outcomes of a node after which the journey has succeeded: only nodes that change or compare the level follow, and these cannot
  /// fail.
  private func finalOutcomes(of node: CompiledNode) -> Set<String> {
    // An inner journey's end is an outcome of the node around it.
    let endsAll = around.allSatisfy { frame in
      frame.journey.nodes[frame.node].target(of: "true").map { isSuccess($0, in: frame.journey) } ?? false
    }
    guard endsAll else { return [] }
    return Set(node.connections.filter { isSuccess($0.target, in: journey) }.map(\.outcome))
  }

  /// - Parameter depth: the most nodes to follow, because a journey may have a loop.
  private func isSuccess(_ target: ConnectionTarget, in journey: CompiledJourney, depth: Int = 8) -> Bool {
    guard case .node(let index) = target else { return target == .success }
    let node = journey.nodes[index]
    // A page has the increments of its nodes, but it asks the client something.
    guard depth > 0, !(node.node is PageNode),
      node.node.authLevelIncrement != 0 || node.node.authLevelRequirement != nil
    else { return false }
    return node.node.outcomes.allSatisfy { outcome in
      node.target(of: outcome).map { isSuccess($0, in: journey, depth: depth - 1) } ?? false
    }
  }

  /// Why a journey for the session's own user ends: it has found another user. Checked before a node can do anything for that user.
  private var stranger: String? {
    guard options.isOwn, let name = state.username, name != session?.username else { return nil }
    return "the journey was started for \(JSONValue.string(session?.username ?? "").text), "
      + "and found \(JSONValue.string(name).text)"
  }

  private func visit(_ node: CompiledNode, _ result: NodeResult?) -> NodeVisit {
    NodeVisit(
      journey: journey.name, realm: journey.realm, nodeID: node.id, displayName: node.displayName,
      type: node.type, result: result, state: state)
  }

  private mutating func take(
    from context: inout NodeContext, of node: CompiledNode, _ result: NodeResult?
  ) {
    state = context.state
    for reason in context.reasons {
      reasons.append("\(node.label): \(reason)")
      dependencies.logger.info(
        "\(reason)", metadata: ["node": "\(node.label)", "journey": "\(journey.name)"])
    }
    dependencies.observer?.visited(visit(node, result))
  }

  /// Notes an error. It ends the journey, unless an enclosing node handles the errors of its inner journey.
  ///
  /// - Returns: the target of that node's error outcome; the journey's failure when no enclosing node has one.
  private mutating func fail(_ cause: String, at node: CompiledNode) -> ConnectionTarget {
    note(cause, at: node)
    while let frame = around.popLast() {
      let node = frame.journey.nodes[frame.node]
      guard (node.node as? InnerJourneyNode)?.showsError == true,
        let next = node.target(of: InnerJourneyNode.error)
      else { continue }
      journey = frame.journey
      dependencies.observer?.visited(visit(node, .outcome(InnerJourneyNode.error)))
      return next
    }
    return .failure
  }

  /// Notes why the run cannot continue at `node`.
  mutating func note(_ cause: String, at node: CompiledNode) {
    reasons.append("\(node.label): \(cause)")
    dependencies.logger.warning(
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
    // Each place but the first belongs to the inner journey that the frame before it runs.
    let places = around.map { $0.journey.nodes[$0.node].id } + [node.id]
    let names = around.dropFirst().map(\.journey.name) + (around.isEmpty ? [] : [journey.name])
    return JourneyPosition(
      id: id, journey: root.name, version: root.version, realm: root.realm, node: places[0],
      inside: zip(names, places.dropFirst()).map { InnerPosition(journey: $0, node: $1) }, notes: notes,
      state: state, options: options, asked: callbacks.map(\.asked), session: session,
      startedAt: startedAt, expiresAt: expiresAt)
  }
}
