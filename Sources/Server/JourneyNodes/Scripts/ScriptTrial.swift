internal import Concurrency
package import JourneyEngine
package import JourneyScripts
internal import StrictJSON

/// A script run alone, without a journey around it, as the node runs it: its decision, and the state afterwards.
package struct ScriptTrial: Sendable {
  /// `nil` when the script asks the client or suspends.
  package var outcome: String?
  package var callbacks: [OutgoingCallback] = []

  /// The message of a suspension.
  package var suspension: String?
  package var state: JourneyState
  package var log: [ScriptLogLine] = []

  /// What the node would write into the server's log besides.
  package var reasons: [String] = []

  /// - Parameters:
  ///   - libraries: what `require` finds, by name.
  ///   - outcomes: those that the script may choose; any, when empty.
  /// - Throws: `ScriptError`, or what the node says of a decision that it cannot take.
  package static func run(
    _ script: JourneyScript, libraries: [String: String] = [:], outcomes: [String] = [],
    state: JourneyState, request: RequestFacts, services: NodeServices
  ) async throws -> ScriptTrial {
    let log = Locked<[ScriptLogLine]>([])
    var services = services
    services.scripts?.identities = NoIdentities()
    services.scripts?.log = { line, _, _ in log.withLock { $0.append(line) } }
    let node = ScriptedDecisionNode(
      script, libraries: libraries, outcomes: outcomes, takesAnyOutcome: outcomes.isEmpty, services: services)
    var context = NodeContext(nodeID: "script", request: request, state: state)
    context.makeResumeLink = { ResumeLink(address: "https://example.com/am?suspendedId=trial", id: "trial") }
    let result = try await node.evaluate(&context)
    var trial = ScriptTrial(state: context.state, log: log.withLock { $0 }, reasons: context.reasons)
    switch result {
    case .outcome(let outcome): trial.outcome = outcome
    case .callbacks(let callbacks): trial.callbacks = callbacks
    case .suspend(let suspension): trial.suspension = suspension.message
    }
    return trial
  }
}
