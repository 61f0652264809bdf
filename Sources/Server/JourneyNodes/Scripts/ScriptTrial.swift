internal import Concurrency
public import JourneyEngine
public import JourneyScripts
public import StrictJSON

/// A script run alone, without a journey around it, as the node runs it: its decision, and the state afterwards.
public struct ScriptTrial: Sendable {
  /// `nil` when the script asks the client or suspends.
  public var outcome: String?

  /// What the client would be asked: type, output and input.
  public var callbacks: [JSONObject] = []

  /// The message of a suspension.
  public var suspension: String?
  public var state: JourneyState
  public var log: [ScriptLogLine] = []

  /// What the node would also write into the server's log, such as changes that it refused.
  public var remarks: [String] = []

  /// - Parameter libraries: what `require` finds, by name.
  /// - Throws: `ScriptError`, or the node's error about a decision that it cannot accept.
  package static func run(
    _ script: JourneyScript, libraries: [String: String], state: JourneyState, request: RequestFacts,
    services: NodeServices
  ) async throws -> ScriptTrial {
    let log = Locked<[ScriptLogLine]>([])
    var services = services
    services.scripts?.identities = NoIdentities()
    services.scripts?.log = { line, _, _ in log.withLock { $0.append(line) } }
    let node = ScriptedDecisionNode(
      script, libraries: libraries, outcomes: [], takesAnyOutcome: true, services: services)
    var context = NodeContext(nodeID: "script", request: request, state: state)
    context.makeResumeLink = { ResumeLink(address: "https://example.com/am?suspendedId=trial", id: "trial") }
    let result = try await node.evaluate(&context)
    var trial = ScriptTrial(state: context.state, log: log.withLock { $0 }, remarks: context.reasons)
    switch result {
    case .outcome(let outcome): trial.outcome = outcome
    case .callbacks(let callbacks): trial.callbacks = callbacks.map(Self.form)
    case .suspend(let suspension): trial.suspension = suspension.message
    }
    return trial
  }

  private static func form(_ callback: OutgoingCallback) -> JSONObject {
    func fields(_ fields: [OutgoingCallback.Field]) -> JSONValue {
      .array(fields.map { ["name": .string($0.name), "value": $0.value] })
    }
    return [
      "type": .string(callback.type), "output": fields(callback.outputs), "input": fields(callback.inputs),
    ]
  }
}

/// The identities of a script that runs alone: none.
struct NoIdentities: ManagedObjects {
  private func refuse() throws -> Never {
    throw NodeError("a script that runs alone has no managed identities")
  }

  func read(_ resource: String, realm: String) async throws -> JSONObject? { try refuse() }

  func query(
    _ resource: String, filter: String, fields: [String], limit: Int, realm: String
  ) async throws -> [JSONObject] { try refuse() }

  func create(
    _ resource: String, id: String?, content: JSONObject, realm: String
  ) async throws -> JSONObject { try refuse() }

  func update(
    _ resource: String, revision: String?, content: JSONObject, realm: String
  ) async throws -> JSONObject { try refuse() }

  func patch(
    _ resource: String, revision: String?, operations: [JSONObject], realm: String
  ) async throws -> JSONObject { try refuse() }

  func delete(_ resource: String, revision: String?, realm: String) async throws -> JSONObject {
    try refuse()
  }
}
