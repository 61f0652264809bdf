internal import Bytes
public import Foundation
public import Logging
public import StrictJSON

/// Runs journeys: starts them, takes answers, and says what comes next.
///
/// The engine keeps nothing between requests. A journey's position travels sealed in the `authId`, so that any server with the same
/// ``SealingKey``, catalog and ``StepLedger`` can take the next answer. Starting a journey writes nothing.
public struct JourneyEngine: Sendable {
  /// The journeys that can be run now.
  public var catalog: JourneyCatalog { catalogs() }

  private let catalogs: @Sendable () -> JourneyCatalog
  private let sealing: PositionSealing
  private let beforeRequests: @Sendable () async throws -> Void
  private let steps: any StepLedger
  private let clock: @Sendable () -> Date
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private let lifetime: TimeInterval
  private let logger: Logger
  private let observer: (any JourneyObserver)?
  private let suspension: JourneySuspension?

  /// Bytes of a run's id, which links its log lines and gives access to nothing.
  private static let idCount = 8

  /// How long a consumed step is remembered beyond the journey's end, for servers whose clocks differ. Seconds.
  private static let ledgerMargin: TimeInterval = 60

  /// - Parameters:
  ///   - catalogs: returns the current journeys; called with every request, because they may change while journeys run.
  ///   - sealing: returns the key that seals positions, then earlier keys that running journeys may still need; the same on all servers of
  ///     a cluster. Called with every request, because keys are rotated.
  ///   - beforeRequests: called before a request is evaluated, so that what the server knows about its keys is not too old; when it throws,
  ///     the request is refused as ``JourneyRefusal/unavailable(_:)``.
  ///   - steps: shared by all servers of a cluster.
  ///   - randomBytes: returns that many bytes of a cryptographically secure source.
  ///   - lifetime: seconds from its start after which a journey expires.
  ///   - observer: observes the journeys.
  ///   - suspension: how journeys wait for a link; without it, a node that suspends one fails.
  public init(
    catalogs: @escaping @Sendable () -> JourneyCatalog, sealing: @escaping @Sendable () -> [SealingKey],
    beforeRequests: @escaping @Sendable () async throws -> Void = {},
    steps: any StepLedger, clock: @escaping @Sendable () -> Date,
    randomBytes: @escaping @Sendable (Int) -> [UInt8],
    lifetime: TimeInterval = 300, logger: Logger = Logger(label: "sealring.journeys"),
    observer: (any JourneyObserver)? = nil, suspension: JourneySuspension? = nil
  ) {
    self.catalogs = catalogs
    self.sealing = PositionSealing(keys: sealing)
    self.beforeRequests = beforeRequests
    self.steps = steps
    self.clock = clock
    self.randomBytes = randomBytes
    self.lifetime = lifetime
    self.logger = logger
    self.observer = observer
    self.suspension = suspension
  }

  /// Starts a journey of the request's realm.
  ///
  /// - Parameters:
  ///   - journey: its name; `nil` for the catalog's default.
  ///   - state: the state that the journey begins with.
  ///   - session: the valid session of this realm that the client presents, if any.
  /// - Throws: ``JourneyRefusal/unknownJourney(_:)``, ``JourneyRefusal/unavailable(_:)``.
  public func start(
    journey name: String?, options: JourneyOptions = JourneyOptions(), state: JourneyState = JourneyState(),
    session: PresentedSession? = nil, request: RequestFacts
  ) async throws(JourneyRefusal) -> JourneyProgress {
    try await prepare()
    let name = name ?? catalog.defaultJourney
    guard let journey = catalog.journey(named: name, realm: request.realm), journey.summary.canStart else {
      throw .unknownJourney(name)
    }
    let now = clock()
    let id = randomBytes(Self.idCount).hexadecimal
    observer?.runs(journey: name, realm: request.realm, id: id, isStart: true)
    var run = JourneyRun(
      id: id, journey: journey, request: request, options: options, state: state, session: session,
      startedAt: now.millisecondsSince1970,
      expiresAt: now.addingTimeInterval(lifetime).millisecondsSince1970, dependencies(for: request))
    let result = try await run.advance(to: journey.entry)
    return try await answer(result, of: &run)
  }

  /// Continues a journey whose callbacks the client has answered.
  ///
  /// - Parameters:
  ///   - authID: as the client sent it.
  ///   - callbacks: the elements of the client's `callbacks`; empty when it sent none.
  /// - Throws: ``JourneyRefusal/stale(_:)``, ``JourneyRefusal/ended``, ``JourneyRefusal/badReply(_:)``,
  ///   ``JourneyRefusal/unavailable(_:)``. Of several requests with the same `authID`, exactly one is evaluated. The others are refused as
  ///   stale or, once that one has ended the run, as ended.
  public func resume(
    authID: String, callbacks: [JSONValue], options: JourneyOptions = JourneyOptions(), request: RequestFacts
  ) async throws(JourneyRefusal) -> JourneyProgress {
    try await prepare()
    let position: JourneyPosition
    let step: [UInt8]
    do throws(PositionSealing.Failure) { (position, step) = try sealing.open(authID) } catch {
      throw .stale(error.reason)
    }
    guard position.realm == request.realm else { throw .stale("it belongs to realm \(position.realm)") }
    guard clock().millisecondsSince1970 < position.expiresAt else {
      throw .stale("the journey has expired")
    }
    // The journey waits for its link: the client gets the same message again.
    if let message = position.waiting {
      return .step(JourneyStep(authID: authID, callbacks: Self.suspended(message)))
    }
    let reply = try ReplyMatching.match(callbacks, to: position.asked)
    let end = Date(millisecondsSince1970: position.expiresAt)
    let answered = AnsweredStep(key: step, expiry: end + Self.ledgerMargin, deadline: end)
    guard
      case (var run, let node)? = place(
        of: position, request, options, answering: answered, expiresAt: position.expiresAt)
    else { throw .stale(Self.isGone(position)) }
    observer?.runs(journey: position.journey, realm: position.realm, id: position.id, isStart: false)
    let result: JourneyRun.Arrival
    do throws(JourneyRefusal) {
      result = try await run.advance(
        to: .node(node), reply: reply, notes: reply == nil ? JSONObject() : position.notes)
    } catch {
      guard error == .answeredBefore, await hasEnded(answered) else { throw error }
      throw .ended
    }
    let progress = try await answer(result, of: &run)
    if case .failure = progress { await noteEnd(of: answered) }
    return progress
  }

  /// Records that the answer to `step` ended its run, for clients that send the answer again. This only decides what they read, so an
  /// unavailable ledger is not a failure.
  public func noteEnd(of step: AnsweredStep) async {
    do { try await steps.prolong(step.key, until: step.endedExpiry) } catch {
      logger.warning("the end of a run could not be noted: \(error)")
    }
  }

  private func hasEnded(_ step: AnsweredStep) async -> Bool {
    step.hasEnded(rememberedUntil: try? await steps.expiry(of: step.key))
  }

  /// Continues a suspended journey whose link somebody has followed, on any device and server.
  ///
  /// - Parameter id: the `suspendedId` of the link.
  /// - Throws: ``JourneyRefusal/notSuspended(_:)``, ``JourneyRefusal/unavailable(_:)``. Of several requests with the same id,
  ///   exactly one continues; an id of another realm stays valid.
  public func resume(
    suspendedID id: String, options: JourneyOptions = JourneyOptions(), request: RequestFacts
  ) async throws(JourneyRefusal) -> JourneyProgress {
    guard let suspension else { throw .notSuspended("journeys cannot be suspended here") }
    guard JourneySuspension.isID(id) else {
      throw .notSuspended("the id does not have the form of a link's id")
    }
    try await prepare()
    let now = clock()
    let content: [UInt8]?
    do {
      content = try await suspension.store.take(SuspendedJourney.Key(id: id, realm: request.realm), now: now)
    } catch { throw .unavailable("the suspended journey could not be read: \(error)") }
    guard let content else {
      throw .notSuspended("there is no such journey in the realm, its link was used, or it has expired")
    }
    guard let position = JourneyPosition(parsing: content), position.realm == request.realm else {
      throw .notSuspended("it was suspended by another version of the server")
    }
    guard
      case (var run, let node)? = place(
        of: position, request, options, answering: nil,
        expiresAt: now.addingTimeInterval(lifetime).millisecondsSince1970)
    else { throw .notSuspended(Self.isGone(position)) }
    observer?.runs(journey: position.journey, realm: position.realm, id: position.id, isStart: false)
    let result = try await run.advance(to: .node(node), notes: position.notes)
    return try await answer(result, of: &run)
  }

  /// Restores the run of a position, on the version of the journey that it began with.
  private func place(
    of position: JourneyPosition, _ request: RequestFacts, _ options: JourneyOptions,
    answering step: AnsweredStep?, expiresAt: Int64
  ) -> (run: JourneyRun, node: Int)? {
    catalog.journey(named: position.journey, version: position.version, realm: position.realm).flatMap {
      JourneyRun.at(
        position, in: $0, request: request, options: options, answering: step, expiresAt: expiresAt,
        dependencies(for: request))
    }
  }

  private static func isGone(_ position: JourneyPosition) -> String {
    "journey \(position.journey)\(position.version.map { " in version \($0)" } ?? ""), or its node \(position.node), is not, or "
      + "no longer, on this server: its file was changed, or this server has a different file"
  }

  private func dependencies(for request: RequestFacts) -> JourneyRun.Dependencies {
    let makeLink: @Sendable () throws -> ResumeLink = { [randomBytes] in
      try JourneySuspension.link(
        id: Base64URL.encode(randomBytes(JourneySuspension.idCount)), request: request)
    }
    return JourneyRun.Dependencies(
      steps: steps, logger: logger, observer: observer, makeResumeLink: suspension == nil ? nil : makeLink)
  }

  /// The id of the step of `authID`, if this server's key sealed it and it has not expired; it may have been answered. Changes nothing.
  public func step(ofAuthID authID: String) -> [UInt8]? {
    guard let (position, step) = try? sealing.open(authID), clock().millisecondsSince1970 < position.expiresAt
    else { return nil }
    return step
  }

  private func prepare() async throws(JourneyRefusal) {
    do { try await beforeRequests() } catch {
      throw .unavailable("the keys that journeys are sealed with could not be checked: \(error)")
    }
    guard sealing.hasKey else { throw .unavailable(PositionSealing.lacksKey) }
  }

  /// The answer to the client after a run.
  private func answer(
    _ arrival: JourneyRun.Arrival, of run: inout JourneyRun
  ) async throws(JourneyRefusal) -> JourneyProgress {
    switch arrival {
    case .success:
      observer?.ended(journey: run.root.name, realm: run.root.realm, isSuccess: true)
      return .success(run.success)
    case .failure: return .failure(failed(run))
    case .unavailable(let why):
      _ = failed(run)
      throw .unavailable(why)
    case .suspends(let node, let suspension, let notes):
      return try await suspend(at: node, suspension, notes: notes, &run)
    case .asks(let node, let callbacks, let notes):
      let locales = run.request.locales
      let page = node.node as? PageNode
      let own = (node.node as? any TitledNode)?.texts(notes: notes)
      do {
        return .step(
          JourneyStep(
            authID: try seal(run.position(at: node, callbacks: callbacks, notes: notes)),
            callbacks: callbacks.enumerated().map { $1.wireForm(at: $0) },
            header: page?.header(for: locales) ?? own?.header,
            description: page?.description(for: locales) ?? own?.description, stage: page?.stage ?? own?.stage
          ))
      } catch {
        run.note("the journey cannot continue: \(Self.reason(error))", at: node)
        let failure = failed(run)
        guard sealing.hasKey else { throw .unavailable(PositionSealing.lacksKey) }
        return .failure(failure)
      }
    }
  }

  private func failed(_ run: JourneyRun) -> JourneyFailure {
    observer?.ended(journey: run.root.name, realm: run.root.realm, isSuccess: false)
    return run.failure
  }

  private func seal(_ position: JourneyPosition) throws -> String {
    try sealing.seal(position, random: randomBytes(PositionSealing.randomCount))
  }

  private static func reason(_ error: any Error) -> String {
    (error as? PositionSealing.Failure)?.reason ?? "\(error)"
  }

  // MARK: Suspended journeys

  /// Stores the run's position, then lets the node send its link. The step that led here is used up, so nobody gets two links for it.
  private func suspend(
    at node: CompiledNode, _ result: Suspension, notes: JSONObject, _ run: inout JourneyRun
  ) async throws(JourneyRefusal) -> JourneyProgress {
    guard let suspension, JourneySuspension.isID(result.link.id) else {
      run.note("the journey cannot be suspended", at: node)
      return .failure(failed(run))
    }
    let now = clock()
    let end = now.addingTimeInterval(suspension.lifetime)
    let position = run.position(at: node, callbacks: [], notes: notes)
    let content = position.serialized
    guard content.count <= PositionSealing.maximumContentBytes else {
      run.note("the journey's state has grown to \(content.count) bytes", at: node)
      return .failure(failed(run))
    }
    let key = SuspendedJourney.Key(id: result.link.id, realm: run.root.realm)
    // This position holds nothing that the journey has collected and cannot continue it.
    var waiting = JourneyPosition(
      id: position.id, journey: position.journey, version: position.version, realm: position.realm,
      node: position.node, notes: JSONObject(), state: JourneyState(), options: JourneyOptions(), asked: [],
      startedAt: position.startedAt, expiresAt: end.millisecondsSince1970)
    waiting.waiting = result.message
    do {
      let authID = try seal(waiting)
      try await suspension.store.keep(
        SuspendedJourney(key: key, content: content, createdAt: now, expiresAt: end))
      do { try await result.afterStoring() } catch {
        // The link was not sent, so nobody can continue the stored journey.
        _ = try? await suspension.store.take(key, now: now)
        throw error
      }
      return .step(JourneyStep(authID: authID, callbacks: Self.suspended(result.message)))
    } catch {
      run.note("the journey could not be suspended: \(Self.reason(error))", at: node)
      let failure = failed(run)
      guard (error as? any ServiceFailure)?.isUnavailability == true else { return .failure(failure) }
      throw .unavailable("\(node.label): \(error)")
    }
  }

  /// What the client shows while the journey waits.
  private static func suspended(_ message: String) -> [JSONObject] {
    let callback = OutgoingCallback(
      type: "SuspendedTextOutputCallback",
      outputs: [.init("message", .string(message)), .init("messageType", "0")], inputs: [])
    return [callback.wireForm(at: 0)]
  }
}
