internal import Bytes
internal import JourneyEngine
internal import SecurityEvents
internal import StrictJSON

/// The outcome that a configuration has chosen for a node of a service that this server does not ask.
struct SimulatedDecision: Sendable {
  let service: ServiceSimulation.Service
  let outcome: String
  private let nodeType: String
  private let events: SecurityEvents

  /// - Throws: where the service is not simulated, so that the node fails when it is reached.
  init(
    _ service: ServiceSimulation.Service, _ definition: NodeDefinition, _ services: NodeServices
  ) throws(JourneyFileError) {
    guard let outcome = services.simulation[service] else {
      throw JourneyFileError(
        "the node asks \(service.title), a service of others that this server does not reach; "
          + "for tests, --simulate \(service.rawValue)=\(service.example) chooses its outcome",
        nodeID: definition.id, nodeType: definition.type)
    }
    (self.service, self.outcome) = (service, outcome)
    nodeType = definition.type
    events = services.events
  }

  /// The warning when the journey is loaded.
  var warning: String {
    "\(service.title) is simulated and decides nothing: the outcome is \(outcome) for everybody (--simulate)"
  }

  /// Takes `outcome`, and tells the operator that the service was not asked.
  func take(_ outcome: String, _ context: inout NodeContext) async -> NodeResult {
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

  /// The client's reason for not doing its part; `nil` when it did. It is not trusted, and is shown on one line.
  static func clientError(_ reply: CallbackReply) -> String? {
    guard let text = reply.text("clientError"), !text.isEmpty else { return nil }
    return "the client reports: \(text.bounded(to: 200).onOneLine)"
  }
}

extension NodeDefinition {
  /// A property that only the client or the service reads. One that this server cannot read does not stop the node.
  func forwarded<Value>(_ property: String, _ standard: Value, _ read: () throws(JourneyFileError) -> Value)
    -> Value
  {
    do throws(JourneyFileError) { return try read() } catch {
      repaired(property, error.problem, instead: "The default is sent to the client.")
      return standard
    }
  }
}
