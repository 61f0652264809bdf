internal import Bytes
internal import JourneyEngine
internal import SecurityEvents
internal import StrictJSON

/// A node for a service that this server does not ask: it takes the outcome that the configuration has chosen (``ServiceSimulation``).
struct SimulatedNode: JourneyNode {
  /// What the client is asked, and must have answered before the outcome is taken.
  struct Dialogue: Sendable {
    let callback: OutgoingCallback

    /// The input with the client's part, and what that is called; `nil` when any answer will do.
    var part: (input: String, name: String)?

    /// The outcome when the client does not do its part.
    var failure = "false"
  }

  let outcomes: [String]
  let warnings: [String]
  private let service: ServiceSimulation.Service
  private let outcome: String
  private let nodeType: String
  private let events: SecurityEvents
  private let dialogue: Dialogue?

  /// - Parameter outcome: what to take, when that is not the chosen outcome itself.
  /// - Throws: where the service is not simulated, so that the node fails when it is reached.
  init(
    _ service: ServiceSimulation.Service, _ definition: NodeDefinition, _ services: NodeServices,
    outcomes: [String]? = nil, asking dialogue: Dialogue? = nil, outcome: (String) -> String = { $0 }
  ) throws(JourneyFileError) {
    guard let chosen = services.simulation[service] else {
      throw JourneyFileError(
        "the node asks \(service.title), a third-party service that this server does not call; "
          + "for tests, --simulate \(service.rawValue)=\(service.example) chooses its outcome",
        nodeID: definition.id, nodeType: definition.type)
    }
    (self.service, self.outcome, self.dialogue) = (service, outcome(chosen), dialogue)
    (nodeType, events) = (definition.type, services.events)
    warnings = [
      "\(service.title) is simulated and decides nothing: the outcome is \(chosen) for everybody (--simulate)"
    ]
    let listed = (definition.properties["_outcomes"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
    guard outcomes != nil || listed.isEmpty || listed.contains(chosen) else {
      throw definition.wrong(
        "_outcomes",
        "has no outcome \(chosen.quoted), which --simulate has chosen; there are \(listed.joined(separator: ", "))"
      )
    }
    self.outcomes = outcomes ?? (listed.isEmpty ? [chosen] : listed)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    if let dialogue {
      guard let reply = context.reply else { return .callbacks([dialogue.callback]) }
      // The client's reason for not doing its part. It is not trusted, and is shown on one line.
      if let error = reply.text("clientError"), !error.isEmpty {
        return context.outcome(
          dialogue.failure, because: "the client reports: \(error.bounded(to: 200).onOneLine)")
      }
      if let part = dialogue.part, reply.text(part.input)?.isEmpty ?? true {
        return context.outcome(dialogue.failure, because: "the client sent no \(part.name)")
      }
    }
    await events.note(
      SecurityEvent(
        .serviceSimulated, realm: context.request.realm, journey: context.journey,
        detail: [
          "service": .string(service.rawValue), "outcome": .string(outcome), "type": .string(nodeType),
          "node": .string(context.nodeID),
        ]))
    return context.outcome(
      outcome, because: "\(service.title) was not asked: the outcome \(outcome) is simulated")
  }
}
