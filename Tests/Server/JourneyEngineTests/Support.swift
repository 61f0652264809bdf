import Bytes
import Concurrency
import Foundation
import JourneyEngine
import StrictJSON
import Testing

/// Nodes that do one simple thing each.
enum SampleNodes {
  static let registry = NodeRegistry([
    "Ask": { try Ask($0) },
    "Decide": { try Decide($0) },
    "Throw": { _ in Throw() },
    "Away": { _ in Away() },
    "Count": { _ in Count() },
    "Needs": { _ in Needs() },
    "Raise": { _ in Raise(authLevelIncrement: 3) },
    "Lower": { _ in Raise(authLevelIncrement: -1) },
    "RefuseRun": { _ in RefuseRun() },
    "Suspend": { _ in Suspend() },
    "Refuse": { throw $0.wrong("size", "must be a whole number") },
  ])

  /// Asks `callbacks` (type and input suffixes); writes every answer to shared state under the node's id.
  /// With `accept`, any other text in the first callback is asked for again.
  struct Ask: JourneyNode {
    let outcomes: [String]
    let callbacks: [OutgoingCallback]
    let accept: String?
    let stateOutputs: [String]

    init(_ definition: NodeDefinition) throws {
      outcomes = try definition.strings("outcomes", default: ["outcome"])
      accept = definition.properties["accept"]?.stringValue
      stateOutputs = try definition.strings("writes")
      callbacks = (definition.properties["callbacks"]?.arrayValue ?? [["NameCallback", ""]]).map {
        OutgoingCallback(
          type: $0[0]?.stringValue ?? "", outputs: [.init("prompt", "?")],
          inputs: ($0.arrayValue ?? []).dropFirst().map { .init($0.stringValue ?? "", "") })
      }
    }

    func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
      guard let reply = context.reply else {
        context.notes["asked"] = true
        return .callbacks(callbacks)
      }
      guard context.notes["asked"] == true else { throw Broken(description: "the notes are lost") }
      if let accept, reply.text() != accept {
        context.state.shared["leak"] = "must not stay"
        return .callbacks(callbacks)
      }
      let answers = reply.callbacks.map { JSONValue.object(JSONObject($0.map { ($0.key, $0.value) })) }
      context.state.shared[context.nodeID] = .array(answers)
      if let name = reply.text() { context.state.username = name }
      return .outcome(outcomes[0])
    }
  }

  /// Takes the outcome that the property `takes` names.
  struct Decide: JourneyNode {
    let outcomes: [String]
    let takes: String

    init(_ definition: NodeDefinition) throws {
      outcomes = try definition.strings("outcomes", default: ["true", "false"])
      takes = try definition.string("takes", default: "true")
    }

    func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
      context.logReason("took \(takes)")
      context.state.transient["secret"] = "password"
      return .outcome(takes)
    }
  }

  struct Broken: Error, CustomStringConvertible { let description: String }

  struct Throw: JourneyNode {
    let outcomes = ["outcome"]
    func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
      throw Broken(description: "the directory is away")
    }
  }

  struct Away: JourneyNode {
    struct Failure: ServiceFailure {
      let isUnavailability: Bool
    }

    let outcomes = ["outcome"]
    func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
      throw Failure(isUnavailability: context.state["isAway"] == true)
    }
  }

  struct Count: JourneyNode {
    let outcomes = ["outcome"]
    func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
      context.state.shared["count"] = .integer((context.state["count"]?.integerValue ?? 0) + 1)
      return .outcome("outcome")
    }
  }

  /// Proves the user, and changes the level.
  struct Raise: JourneyNode {
    let outcomes = ["outcome"]
    let authLevelIncrement: Int
    func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
      context.state.changeAuthLevel(by: authLevelIncrement)
      context.state.noteAuthentication(at: Date(timeIntervalSince1970: 1_800_000_000))
      return .outcome("outcome")
    }
  }

  /// Suspends the journey; goes on when somebody comes back by its link.
  struct Suspend: JourneyNode {
    let outcomes = ["outcome"]
    func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
      if context.isResumed {
        context.state.shared["back"] = context.notes["sent"]
        return .outcome("outcome")
      }
      context.notes["sent"] = "before"
      context.state.transient["password"] = "secret"
      if context.state["broken"] == true {
        return .suspend(
          Suspension(link: try context.resumeLink(), message: "Look") { throw Broken(description: "no mail") }
        )
      }
      return .suspend(Suspension(link: try context.resumeLink(), message: "Look into your mail"))
    }
  }

  struct RefuseRun: JourneyNode {
    let outcomes = ["outcome"]
    func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
      throw NodeRefusal("too weak", detail: ["authLevel": 2])
    }
  }

  struct Needs: JourneyNode {
    let outcomes = ["outcome"]
    let stateInputs = ["device"]
    func evaluate(_ context: inout NodeContext) async throws -> NodeResult { .outcome("outcome") }
  }
}

let success = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"
let failure = "e301438c-0bd0-429c-ab0c-66126501069a"

/// A node as a journey file has it in two places.
struct FileNode {
  var id: String
  var type: String
  var connections: JSONObject
  var properties: JSONObject = [:]

  init(_ id: String, _ type: String, _ connections: JSONObject, _ properties: JSONObject = [:]) {
    self.id = id
    self.type = type
    self.connections = connections
    self.properties = properties
  }
}

/// An exported journey of these nodes; it starts at the first.
func journeyFile(
  _ nodes: [FileNode], name: String = "J", inner: [FileNode] = [], tree: JSONObject = [:],
  extra: JSONObject = [:]
) -> JSONObject {
  func details(_ nodes: [FileNode]) -> JSONObject {
    JSONObject(
      nodes.map { node in
        var details: JSONObject = ["_id": .string(node.id), "_type": ["_id": .string(node.type)]]
        details.merge(node.properties)
        return (node.id, .object(details))
      })
  }
  var treeObject: JSONObject = [
    "_id": .string(name), "entryNodeId": .string(nodes.first?.id ?? ""),
    "nodes": .object(
      JSONObject(
        nodes.map {
          (
            $0.id,
            [
              "connections": .object($0.connections), "displayName": .string("The \($0.id)"),
              "nodeType": .string($0.type), "x": 0, "y": 0,
            ]
          )
        })),
  ]
  treeObject.merge(tree)
  var file: JSONObject = [
    "nodes": .object(details(nodes)), "innerNodes": .object(details(inner)), "tree": .object(treeObject),
  ]
  file.merge(extra)
  return file
}

actor MemoryLedger: StepLedger {
  private var keys: [[UInt8]: Date] = [:]
  private(set) var writes = 0

  private var isBroken = false
  private var cannotNote = false

  func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool {
    if isBroken { throw SampleNodes.Broken(description: "disk full") }
    writes += 1
    guard keys[key] == nil else { return false }
    keys[key] = expiry
    return true
  }

  func prolong(_ key: [UInt8], until expiry: Date) async throws {
    if isBroken || cannotNote { throw SampleNodes.Broken(description: "disk full") }
    if let old = keys[key], old < expiry { keys[key] = expiry }
  }

  func expiry(of key: [UInt8]) async throws -> Date? {
    if isBroken { throw SampleNodes.Broken(description: "disk full") }
    return keys[key]
  }

  /// What is remembered.
  var count: Int { keys.count }

  func breakDown() { isBroken = true }

  /// From now on ends of runs cannot be noted.
  func breakNotes() { cannotNote = true }
}

/// Keeps suspended journeys as a store does, and the links that were given out.
actor MemorySuspensions: SuspendedJourneys {
  private(set) var kept: [SuspendedJourney.Key: SuspendedJourney] = [:]

  func keep(_ journey: SuspendedJourney) { kept[journey.key] = journey }

  func take(_ key: SuspendedJourney.Key, now: Date) -> [UInt8]? {
    guard let journey = kept[key], journey.expiresAt > now else { return nil }
    kept[key] = nil
    return journey.content
  }
}

/// An engine over one or more files, with a clock that tests turn.
struct Fixture {
  let engine: JourneyEngine
  let ledger: MemoryLedger
  let time = Locked(Date(timeIntervalSince1970: 1_800_000_000))
  let request = RequestFacts(
    realm: "alpha", locales: ["de-CH"], baseURL: "https://id.example.com/am",
    isBaseURLCertain: true)
  let suspensions = MemorySuspensions()

  /// What is served now.
  let catalog: Locked<JourneyCatalog>

  /// The random bytes that were drawn, the latest last: a link's id is among them.
  let drawn = Locked<[[UInt8]]>([])

  init(
    _ files: JSONObject..., secret: [UInt8] = Array(repeating: 7, count: 32),
    secrets: Locked<[[UInt8]]>? = nil, registry: NodeRegistry = SampleNodes.registry,
    ledger: MemoryLedger = MemoryLedger(), beforeRequests: @escaping @Sendable () async throws -> Void = {}
  ) throws {
    let secrets = secrets ?? Locked([secret])
    self.ledger = ledger
    var catalog = JourneyCatalog(registry: registry)
    for file in files {
      for realm in ["alpha", "beta"] { try catalog.load(file.serialized, realm: realm, source: "test.json") }
    }
    let (time, drawn, shared) = (time, drawn, Locked(catalog))
    self.catalog = shared
    engine = JourneyEngine(
      catalogs: { shared.withLock { $0 } },
      sealing: { secrets.withLock { $0 }.map { SealingKey(serverSecret: $0) } },
      beforeRequests: beforeRequests, steps: ledger,
      clock: { time.withLock { $0 } },
      randomBytes: { count in
        let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max) }
        drawn.withLock { $0.append(bytes) }
        return bytes
      }, suspension: JourneySuspension(store: suspensions))
  }

  func advance(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }

  func start(_ name: String? = "J", options: JourneyOptions = JourneyOptions()) async throws
    -> JourneyProgress
  {
    try await engine.start(journey: name, options: options, request: request)
  }

  func firstStep(_ name: String = "J", options: JourneyOptions = JourneyOptions()) async throws -> JourneyStep
  {
    try await step(start(name, options: options))
  }

  func answer(_ step: JourneyStep, _ callbacks: [JSONValue]) async throws -> JourneyProgress {
    try await engine.resume(authID: step.authID, callbacks: callbacks, request: request)
  }

  /// Serves this catalog from now on.
  func serve(_ next: JourneyCatalog) { catalog.withLock { $0 = next } }

  var warnings: [JourneyWarning] { catalog.withLock { $0.warnings } }

  /// The id of the latest link.
  func linkID() throws -> String {
    guard let bytes = drawn.withLock({ $0.last { $0.count == 32 } }) else {
      throw SampleNodes.Broken(description: "no link was made")
    }
    return Base64URL.encode(bytes)
  }

  func resume(_ id: String, realm: String = "alpha") async throws -> JourneyProgress {
    try await engine.resume(
      suspendedID: id,
      request: RequestFacts(realm: realm, baseURL: "https://id.example.com/am", isBaseURLCertain: true))
  }

  func step(_ progress: JourneyProgress) throws -> JourneyStep {
    guard case .step(let step) = progress else {
      throw SampleNodes.Broken(description: "no step: \(progress)")
    }
    return step
  }

  func success(_ progress: JourneyProgress) throws -> JourneySuccess {
    guard case .success(let success) = progress else {
      throw SampleNodes.Broken(description: "no success: \(progress)")
    }
    return success
  }

  func failure(_ progress: JourneyProgress) throws -> JourneyFailure {
    guard case .failure(let failure) = progress else {
      throw SampleNodes.Broken(description: "no failure: \(progress)")
    }
    return failure
  }
}

/// A callback as clients post it.
func posted(_ name: String, _ value: JSONValue, type: String? = "NameCallback", id: Int64? = nil) -> JSONValue
{
  var object: JSONObject = ["input": [["name": .string(name), "value": value]]]
  object["type"] = type.map(JSONValue.string)
  object["_id"] = id.map(JSONValue.integer)
  return .object(object)
}

/// The refusal that `body` ends with.
func refusal(of body: () async throws -> JourneyProgress) async -> JourneyRefusal? {
  do {
    _ = try await body()
    return nil
  } catch { return error as? JourneyRefusal }
}

extension JourneyRefusal {
  var isStale: Bool { if case .stale = self { true } else { false } }
  var isNotSuspended: Bool { if case .notSuspended = self { true } else { false } }
  var isBadReply: Bool { if case .badReply = self { true } else { false } }
}
