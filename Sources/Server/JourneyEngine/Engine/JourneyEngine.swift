internal import Bytes
public import Foundation
public import Logging
public import StrictJSON

/// Runs journeys: starts them, takes answers, and says what comes next.
///
/// The engine keeps nothing between requests. Where a journey stands travels sealed in the `authId`, so that any server
/// with the same ``SealingKey``, catalog and ``StepLedger`` can take the next answer. Starting a journey writes nothing.
public struct JourneyEngine: Sendable {
  /// The journeys that can be run now.
  public var catalog: JourneyCatalog { catalogs() }

  private let catalogs: @Sendable () -> JourneyCatalog
  private let sealing: PositionSealing
  private let steps: any StepLedger
  private let clock: @Sendable () -> Date
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private let lifetime: TimeInterval
  private let logger: Logger
  private let observer: (any JourneyObserver)?

  /// Bytes of a run's id, which joins its lines in the log and opens nothing.
  private static let idCount = 8

  /// How long a consumed step is remembered beyond the journey's end, for servers whose clocks differ. Seconds.
  private static let ledgerMargin: TimeInterval = 60

  /// - Parameters:
  ///   - catalogs: the journeys of the moment; asked with every request, because they may change while others run.
  ///   - sealing: the key that seals where a journey stands, and after it earlier ones, under which journeys may still be under
  ///     way; the same on all servers of a cluster. Asked with every request, because keys are rotated.
  ///   - steps: shared by all servers of a cluster.
  ///   - randomBytes: that many bytes of a cryptographically secure source.
  ///   - lifetime: seconds from a journey's start to its end in any case.
  ///   - observer: hears what journeys do.
  public init(
    catalogs: @escaping @Sendable () -> JourneyCatalog, sealing: @escaping @Sendable () -> [SealingKey],
    steps: any StepLedger, clock: @escaping @Sendable () -> Date,
    randomBytes: @escaping @Sendable (Int) -> [UInt8],
    lifetime: TimeInterval = 300, logger: Logger = Logger(label: "sealring.journeys"),
    observer: (any JourneyObserver)? = nil
  ) {
    self.catalogs = catalogs
    self.sealing = PositionSealing(keys: sealing)
    self.steps = steps
    self.clock = clock
    self.randomBytes = randomBytes
    self.lifetime = lifetime
    self.logger = logger
    self.observer = observer
  }

  /// The same with one key that stays.
  public init(
    catalogs: @escaping @Sendable () -> JourneyCatalog, sealing: SealingKey, steps: any StepLedger,
    clock: @escaping @Sendable () -> Date, randomBytes: @escaping @Sendable (Int) -> [UInt8],
    lifetime: TimeInterval = 300, logger: Logger = Logger(label: "sealring.journeys"),
    observer: (any JourneyObserver)? = nil
  ) {
    self.init(
      catalogs: catalogs, sealing: { [sealing] }, steps: steps, clock: clock, randomBytes: randomBytes,
      lifetime: lifetime, logger: logger, observer: observer)
  }

  /// Starts a journey of the request's realm.
  ///
  /// - Parameters:
  ///   - journey: its name; `nil` for the catalog's default.
  ///   - state: what the journey's nodes find.
  ///   - session: the valid session of this realm that the client presents, if any.
  /// - Throws: ``JourneyRefusal/unknownJourney(_:)``, ``JourneyRefusal/unavailable(_:)``.
  public func start(
    journey name: String?, options: JourneyOptions = JourneyOptions(), state: JourneyState = JourneyState(),
    session: PresentedSession? = nil, request: RequestFacts
  ) async throws(JourneyRefusal) -> JourneyProgress {
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
      expiresAt: now.addingTimeInterval(lifetime).millisecondsSince1970)
    return try answer(
      await run.advance(to: journey.entry, ledger: steps, logger: logger, observer: observer), of: run)
  }

  /// Goes on with a journey whose callbacks the client has answered.
  ///
  /// - Parameters:
  ///   - authID: as the client sent it.
  ///   - callbacks: the elements of the client's `callbacks`; empty when it sent none.
  /// - Throws: ``JourneyRefusal/stale(_:)``, ``JourneyRefusal/badReply(_:)``, ``JourneyRefusal/unavailable(_:)``.
  ///   Of several requests with the same `authID`, exactly one is evaluated; the others are stale.
  public func resume(
    authID: String, callbacks: [JSONValue], options: JourneyOptions = JourneyOptions(), request: RequestFacts
  ) async throws(JourneyRefusal) -> JourneyProgress {
    let position: JourneyPosition
    let step: [UInt8]
    do throws(PositionSealing.Failure) { (position, step) = try sealing.open(authID) } catch {
      throw .stale(error.reason)
    }
    guard position.realm == request.realm else { throw .stale("it belongs to realm \(position.realm)") }
    guard clock().millisecondsSince1970 < position.expiresAt else {
      throw .stale("the journey's time is over")
    }
    guard let journey = catalog.journey(named: position.journey, realm: position.realm),
      journey.summary.canStart, let index = journey.index(ofNode: position.node)
    else { throw .stale("journey \(position.journey) or its node \(position.node) does not exist any more") }
    let reply = try ReplyMatching.match(callbacks, to: position.asked)
    let expiry = Date(millisecondsSince1970: position.expiresAt) + Self.ledgerMargin
    observer?.runs(journey: position.journey, realm: position.realm, id: position.id, isStart: false)
    var run = JourneyRun(
      journey: journey, request: request, position: position, options: options,
      answering: AnsweredStep(key: step, expiry: expiry))
    let result = try await run.advance(
      to: .node(index), reply: reply, notes: reply == nil ? JSONObject() : position.notes, ledger: steps,
      logger: logger, observer: observer)
    return try answer(result, of: run)
  }

  /// The id of the step that `authID` stands for, if this server's key sealed it and its time is not over; it may have been
  /// answered. Changes nothing.
  public func step(ofAuthID authID: String) -> [UInt8]? {
    guard let (position, step) = try? sealing.open(authID), clock().millisecondsSince1970 < position.expiresAt
    else { return nil }
    return step
  }

  /// What the client gets after a run.
  private func answer(
    _ arrival: JourneyRun.Arrival, of run: JourneyRun
  ) throws(JourneyRefusal) -> JourneyProgress {
    switch arrival {
    case .success:
      observer?.ended(journey: run.journey.name, realm: run.journey.realm, isSuccess: true)
      return .success(run.success)
    case .failure:
      observer?.ended(journey: run.journey.name, realm: run.journey.realm, isSuccess: false)
      return .failure(run.failure)
    case .unavailable(let why):
      observer?.ended(journey: run.journey.name, realm: run.journey.realm, isSuccess: false)
      throw .unavailable(why)
    case .asks(let node, let callbacks, let notes):
      let locales = run.request.locales
      let page = node.node as? PageNode
      let own = (node.node as? any TitledNode)?.texts(notes: notes)
      do {
        let position = run.position(at: node, callbacks: callbacks, notes: notes)
        return .step(
          JourneyStep(
            authID: try sealing.seal(position, random: randomBytes(PositionSealing.randomCount)),
            callbacks: callbacks.enumerated().map { $1.wireForm(at: $0) },
            header: page?.header(for: locales) ?? own?.header,
            description: page?.description(for: locales) ?? own?.description, stage: page?.stage ?? own?.stage
          ))
      } catch {
        let reason = (error as? PositionSealing.Failure)?.reason ?? "\(error)"
        logger.error("the journey cannot go on", metadata: ["node": "\(node.label)", "reason": "\(reason)"])
        var failure = run.failure
        failure.reasons.append("\(node.label): \(reason)")
        return .failure(failure)
      }
    }
  }
}
