internal import JourneyEngine
internal import JourneyScripts
internal import JourneyStore
internal import StrictJSON

/// Runs a script of the journey's file, which reads and writes state, asks the client, and chooses the outcome.
///
/// Scripts with evaluator version 2.0 have the next generation's bindings, all others the legacy ones (`docs/scripts.md`). They run in
/// processes of their own. A script's result is untrusted: it can choose one of the node's outcomes, and change state except the variables
/// that other nodes answer for (``ReservedState``).
struct ScriptedDecisionNode: TitledNode {
  let outcomes: [String]
  let stateOutputs: [String]
  let warnings: [String]

  private let script: JourneyScript
  private let libraries: [String: String]
  private let inputs: StateNames
  private let outputs: StateNames
  private let services: NodeServices

  /// Whether every outcome is accepted, for a script alone, which has no node to name outcomes.
  private let takesAnyOutcome: Bool

  /// What the script of a designed node reads as `properties`; `nil` for all others.
  private let properties: JSONObject?

  init(
    _ script: JourneyScript, libraries: [String: String], outcomes: [String], takesAnyOutcome: Bool = false,
    inputs: [String] = ["*"], outputs: [String] = ["*"], properties: JSONObject? = nil, services: NodeServices
  ) {
    (self.script, self.libraries, self.services) = (script, libraries, services)
    (self.outcomes, self.takesAnyOutcome, self.properties) = (outcomes, takesAnyOutcome, properties)
    (self.inputs, self.outputs) = (StateNames(inputs), StateNames(outputs))
    stateOutputs = self.outputs.isAll ? StateNames.written(by: script.source) : outputs
    warnings =
      ScriptWorkers.missingLibrary.map { ["the script \(script.name.quoted) cannot run: \($0)"] } ?? []
  }

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    let outcomes = try definition.strings("outcomes")
    guard !outcomes.isEmpty else { throw definition.wrong("outcomes", "must name at least one outcome") }
    let id = try definition.string("script")
    guard let script = definition.attachments.scripts[id] else {
      throw definition.wrong(
        "script",
        id.isEmpty ? "is missing" : "the file has no script \(id.quoted); export it with its scripts")
    }
    guard script.language.uppercased() != "GROOVY" else {
      throw definition.wrong(
        "script",
        "\(script.name.quoted) is written in Groovy, which does not run here; rewrite it in JavaScript")
    }
    self.init(
      script, libraries: definition.attachments.libraries, outcomes: outcomes,
      inputs: try definition.strings("inputs", default: ["*"]),
      outputs: try definition.strings("outputs", default: ["*"]), services: services)
  }

  var stateInputs: [String] { inputs.named }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let scripts = services.scripts else {
      throw NodeError("scripts do not run here: the server was started without script workers")
    }
    let bindings = ScriptBindings(
      context: context, inputs: inputs, cookieName: scripts.cookieName,
      properties: try await sessionProperties(context), ofNode: properties)
    let calls = NodeScriptCalls(
      realm: context.request.realm, address: context.request.clientAddress, makeLink: context.makeResumeLink,
      actor: context.actor, services: services, scripts: scripts)
    let run = ScriptRun(
      name: script.name, source: script.source, isLegacy: script.evaluatorVersion != "2.0",
      libraries: libraries, bindings: bindings.json)
    let decision = try ScriptDecision(try await scripts.run(run, calls, journey: context.journey))
    for name in decision.apply(to: &context.state, outputs: outputs) {
      context.logReason(
        "the script \(script.name.quoted) may not set \(name.quoted) in state, which was left as it was")
    }
    try decision.applySessionProperties(to: &context.state)
    if let message = decision.errorMessage { context.state.failureMessage = message }
    return try result(of: decision, calls, &context)
  }

  /// The properties that journeys have set in the session that the client presented; none if it has ended meanwhile.
  private func sessionProperties(_ context: NodeContext) async throws -> JSONObject {
    guard let session = context.session else { return [:] }
    return try await services.store.session(tokenHash: session.tokenHash, now: services.clock())?.properties
      ?? [:]
  }

  private func result(
    of decision: ScriptDecision, _ calls: NodeScriptCalls, _ context: inout NodeContext
  ) throws -> NodeResult {
    if let message = decision.suspension {
      guard let link = calls.link else { throw NodeError("the script suspends the journey without a link") }
      return .suspend(Suspension(link: link, message: message))
    }
    if let outcome = decision.outcome {
      guard takesAnyOutcome || outcomes.contains(outcome) else {
        throw NodeError(
          "the script \(script.name.quoted) chose the outcome \(outcome.quoted), which is not one of the node's: "
            + "\(outcomes.joined(separator: ", "))"
        )
      }
      return .outcome(outcome)
    }
    guard !decision.callbacks.isEmpty else {
      throw NodeError("the script \(script.name.quoted) ended without an outcome and without callbacks")
    }
    context.notes = decision.notes
    return .callbacks(decision.callbacks)
  }

  func texts(notes: JSONObject) -> StepTexts {
    StepTexts(
      header: notes["header"]?.stringValue, description: notes["description"]?.stringValue,
      stage: notes["stage"]?.stringValue)
  }
}

/// Names of state variables that a node declares; `*` is all of them.
struct StateNames: Sendable {
  let isAll: Bool
  let named: [String]

  init(_ names: [String]) {
    isAll = names.contains("*")
    named = isAll ? [] : names
  }

  func contains(_ name: String) -> Bool { isAll || named.contains(name) }

  /// The variables that a script writes by their names in its text, for the check of a journey's state; it may write others.
  static func written(by source: String) -> [String] {
    let writes = /\.(?:putShared|putTransient|put)\(\s*["']([^"'\\]{1,128})["']/
    return Array(Set(source.matches(of: writes).map { String($0.1) })).sorted()
  }
}
