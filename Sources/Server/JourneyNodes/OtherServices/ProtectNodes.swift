internal import JourneyEngine
internal import StrictJSON

/// Starts PingOne Protect's collection of signals in the client. The service itself is simulated (``ServiceSimulation``).
struct ProtectInitializeNode: JourneyNode {
  let outcomes = ["true", "false"]
  private let decision: SimulatedDecision
  private let settings: [OutgoingCallback.Field]

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    func flag(_ name: String, _ standard: Bool) -> OutgoingCallback.Field {
      .init(
        name,
        .bool(
          definition.forwarded(name, standard) { () throws(JourneyFileError) in
            try definition.flag(name, default: standard)
          }))
    }
    let ignored = definition.forwarded("deviceAttributesToIgnore", []) { () throws(JourneyFileError) in
      try definition.strings("deviceAttributesToIgnore")
    }
    let host = definition.forwarded("customHost", "") { () throws(JourneyFileError) in
      try definition.string("customHost")
    }
    let interval = definition.forwarded("deviceKeyRsyncIntervals", 14) { () throws(JourneyFileError) in
      try definition.integer("deviceKeyRsyncIntervals", default: 14, in: 0...100_000)
    }
    settings = [
      // The environment is the worker's, which no export has.
      .init("envId", ""), flag("consoleLogEnabled", false),
      .init("deviceAttributesToIgnore", .array(ignored.map { .string($0) })),
      .init("customHost", .string(host)), flag("lazyMetadata", false), flag("behavioralDataCollection", true),
      .init("deviceKeyRsyncIntervals", .integer(Int64(interval))), flag("enableTrust", false),
      flag("disableTags", false), flag("disableHub", false),
    ]
    decision = try SimulatedDecision(.protect, definition, services)
  }

  var warnings: [String] { [decision.warning] }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let reply = context.reply else {
      return .callbacks([
        OutgoingCallback(
          type: "PingOneProtectInitializeCallback", outputs: settings, inputs: [.init("clientError", "")])
      ])
    }
    if let error = SimulatedDecision.clientError(reply) { return context.outcome("false", because: error) }
    return await decision.take(decision.outcome == "clientError" ? "false" : "true", &context)
  }
}

/// Takes the client's signals, and the risk that a configuration has chosen for all of them.
struct ProtectEvaluationNode: JourneyNode {
  let outcomes = ["high", "medium", "low", "exceed", "failure", "clientError"]
  private let decision: SimulatedDecision
  private let pauses: Bool

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    pauses = definition.forwarded("pauseBehavioralData", false) { () throws(JourneyFileError) in
      try definition.flag("pauseBehavioralData", default: false)
    }
    decision = try SimulatedDecision(.protect, definition, services)
  }

  var warnings: [String] { [decision.warning] }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let reply = context.reply else {
      return .callbacks([
        OutgoingCallback(
          type: "PingOneProtectEvaluationCallback", outputs: [.init("pauseBehavioralData", .bool(pauses))],
          inputs: [.init("signals", ""), .init("clientError", "")])
      ])
    }
    if let error = SimulatedDecision.clientError(reply) {
      return context.outcome("clientError", because: error)
    }
    guard reply.text("signals")?.isEmpty == false else {
      return context.outcome("clientError", because: "the client sent no signals")
    }
    return await decision.take(decision.outcome, &context)
  }
}
