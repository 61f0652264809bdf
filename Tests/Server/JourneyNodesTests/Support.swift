import Accounts
import AppIntegrity
import BindingFormats
import Bytes
import Concurrency
import Crypto
import CryptoExtras
import Foundation
import JourneyEngine
import JourneyNodes
import JourneyStore
import KeyAttestation
import Logging
import ProofFixtures
import PushService
import SecurityEvents
import StrictJSON
import Testing

/// Passwords whose hash is the password behind a prefix; counts how often it was asked.
struct PlainPasswords: PasswordVerifying {
  let verifications = Locked(0)

  func verify(_ password: String, against hash: String?) async throws -> Bool {
    verifications.withLock { $0 += 1 }
    return hash == "plain:\(password)"
  }

  func hash(_ password: String) async throws -> String { "plain:\(password)" }
}

/// A store with the users `mira` (password `Correct horse 1`), `otto` (inactive, same password), and a clock that tests
/// turn.
struct World {
  let store: SQLiteStore
  let passwords = PlainPasswords()
  let time = Locked(Date(timeIntervalSince1970: 1_800_000_000))
  private(set) var services: NodeServices

  /// How long answers have waited, so as to tell nothing by their time.
  let pauses = Locked<[Duration]>([])
  let request = RequestFacts(realm: "alpha", locales: ["en"])

  static let password = "Correct horse 1"

  /// - Parameter roots: roots of TPMs' attestation keys that the server trusts.
  init(trusting roots: TrustAnchors? = nil) async throws {
    store = try SQLiteStore.inMemory()
    let time = time
    services = NodeServices(
      store: store, passwords: passwords, clock: { time.withLock { $0 } },
      randomBytes: { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } })
    services.attestation = roots.map { roots in
      AttestationVerifier(AttestationVerifier.Configuration(tpmRoots: roots)) { time.withLock { $0 } }
    }
    services.evenAnswer = EvenAnswer(least: .seconds(60)) { [pauses] time in
      pauses.withLock { $0.append(time) }
    }
    for (name, isActive) in [("mira", true), ("otto", false), ("rosa", true)] {
      try await store.createUser(
        UserRecord(
          realm: "alpha", username: name, passwordHash: "plain:\(Self.password)", isActive: isActive,
          createdAt: now))
    }
  }

  var now: Date { time.withLock { $0 } }

  var appIntegrity: AppIntegrityVerifier? {
    get { services.appIntegrity }
    set { services.appIntegrity = newValue }
  }

  var push: PushSenders {
    get { services.push }
    set { services.push = newValue }
  }

  var relyingParty: ServerRelyingParty {
    get { services.relyingParty() }
    set { services.relyingParty = { newValue } }
  }

  var pushLimits: PushLimits {
    get { services.pushLimits }
    set { services.pushLimits = newValue }
  }

  var events: SecurityEvents {
    get { services.events }
    set { services.events = newValue }
  }

  var factorChanges: FactorChangePolicy {
    get { services.factorChanges }
    set { services.factorChanges = newValue }
  }

  var schema: ManagedSchema {
    get { services.schema }
    set { services.schema = newValue }
  }

  var mail: NodeMail {
    get { services.mail }
    set { services.mail = newValue }
  }

  var securityQuestions: SecurityQuestions {
    get { services.securityQuestions }
    set { services.securityQuestions = newValue }
  }

  var consentMappings: [ConsentMapping] {
    get { services.consentMappings }
    set { services.consentMappings = newValue }
  }

  var metrics: NodeMetrics {
    get { services.metrics }
    set { services.metrics = newValue }
  }

  func advance(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }

  func node(_ type: String, _ properties: JSONObject = [:]) throws -> any JourneyNode {
    let maker = try #require(NodeLibrary.registry(services: services).maker(for: type))
    return try maker(NodeDefinition(id: "n", type: type, properties: properties))
  }

  /// The node with the scripts and templates of its file.
  func visit(
    _ type: String, _ properties: JSONObject, state: JourneyState, attachments: JourneyAttachments
  ) throws -> Visit {
    let maker = try #require(NodeLibrary.registry(services: services).maker(for: type))
    var definition = NodeDefinition(id: "n", type: type, properties: properties)
    definition.attachments = attachments
    return Visit(node: try maker(definition), request: request, state: state)
  }

  func visit(_ type: String, _ properties: JSONObject = [:], state: JourneyState = JourneyState()) throws
    -> Visit
  {
    Visit(node: try node(type, properties), request: request, state: state)
  }

  func devices(of username: String = "mira") async throws -> [BoundDeviceRecord] {
    try await store.boundDevices.all(of: UniversalID(username: username, realm: "alpha"))
  }

  /// What a browser sends that has signed the user in before.
  func knownDeviceCookie(of username: String = "mira") async throws -> String {
    let user = try #require(await store.user(named: username, realm: "alpha"))
    let devices = services.knownDevices
    let value = devices.value(for: user, cookies: nil, now: now, randomBytes: services.randomBytes)
    return "\(devices.cookieName)=\(value)"
  }

  func lockout(
    of username: String = "mira", _ scope: LockoutScope = .passwords
  ) async throws -> LockoutState {
    try await store.lockout(of: UniversalID(username: username, realm: "alpha"), scope: scope)
  }
}

/// One node, evaluated as the engine does: notes and state go on from one evaluation to the next.
struct Visit {
  let node: any JourneyNode
  var request: RequestFacts
  var state: JourneyState
  var notes = JSONObject()
  var reasons: [String] = []

  /// Whether somebody has come back by the node's link.
  var isResumed = false

  /// The session that the client presented.
  var session: PresentedSession?

  /// What the client has answered; shown, while nobody has used it up, to a node that uses it up itself.
  var step: AnsweredStep?

  /// Outcomes that end the journey in a session, and what the node left to the write that makes it.
  var finalOutcomes: Set<String> = []
  var deferred: DeferredProof?

  mutating func evaluate(_ reply: CallbackReply? = nil) async throws -> NodeResult {
    var context = NodeContext(
      nodeID: "n", request: request, reply: reply, state: state, notes: notes, session: session)
    context.isResumed = isResumed
    let usesStep = node.stepUse == (reply == nil ? .byNode : .withAnswer)
    if usesStep { context.answeredStep = step }
    context.finalOutcomes = finalOutcomes
    context.makeResumeLink = {
      ResumeLink(address: "https://id.example.com/am?suspendedId=secret-id", id: "secret-id")
    }
    defer {
      state = context.state
      if usesStep { step = context.answeredStep }
      deferred = context.deferred
      notes = context.notes
      reasons = context.reasons
    }
    return try await node.evaluate(&context)
  }

  /// The callbacks that the node asks.
  mutating func ask() async throws -> [OutgoingCallback] { try callbacks(of: await evaluate()) }

  mutating func answer(_ inputs: [String: JSONValue]...) async throws -> NodeResult {
    try await evaluate(CallbackReply(callbacks: inputs))
  }

  func callbacks(of result: NodeResult) throws -> [OutgoingCallback] {
    guard case .callbacks(let callbacks) = result else { throw Unexpected("no callbacks: \(result)") }
    return callbacks
  }
}

struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension OutgoingCallback {
  func output(_ name: String) -> JSONValue? { outputs.first { $0.name == name }?.value }
}

extension JourneyState {
  init(username: String?, password: String? = nil) {
    self.init()
    self.username = username
    transient["password"] = password.map(JSONValue.string)
  }
}

extension ProofDevice {
  /// Puts the device among the user's.
  @discardableResult
  func bound(to username: String = "mira", in world: World) async throws -> BoundDeviceRecord {
    let record = BoundDeviceRecord(
      uuid: keyID, realm: "alpha", username: username, deviceID: "d", deviceName: "Phone", key: jwk,
      thumbprint: try Thumbprint.of(jwk), createdDate: world.now, lastAccessDate: world.now)
    guard try await world.store.addBoundDevice(record, limit: 0) == .added else {
      throw Unexpected("not added")
    }
    return record
  }
}

/// Keeps what is told to whoever answers for security.
final class EventRecorder: SecurityEventSink {
  private let recorded = Locked<[SecurityEvent]>([])

  func record(_ event: SecurityEvent, durably: Bool) async throws { recorded.withLock { $0.append(event) } }

  func of(_ kind: SecurityEvent.Kind) -> [SecurityEvent] {
    recorded.withLock { $0.filter { $0.kind == kind } }
  }
}

extension World {
  /// Records the events from now on.
  mutating func recordEvents() -> EventRecorder {
    let recorder = EventRecorder()
    let time = time
    events = SecurityEvents(
      sink: recorder, clock: { time.withLock { $0 } }, logger: Logger(label: "test"))
    return recorder
  }
}
