internal import JourneyEngine
internal import PingJourney
internal import PingOrchestrate
internal import StrictJSON

/// The observable state after a step.
struct Observation: Sendable {
  var ending: Expectation.Ending?

  /// The step's callbacks, in the form of ``CallbackView``.
  var callbacks: [JSONValue] = []

  /// The answer that the client received.
  var answer = JSONObject()
  var status: Int?
  var message: String?
  var token: String?

  /// An account, after a step that read one.
  var account: JSONValue?

  /// The visits since the step began, and the state after the last.
  var visits: [NodeVisit] = []

  /// The servers' log since the test began.
  var log: [String] = []

  init() {}

  /// Observes the result of the journey client.
  init(_ node: any Node) {
    switch node {
    case let step as ContinueNode:
      answer = Self.object(step.input)
      callbacks = (answer["callbacks"]?.arrayValue ?? []).map(CallbackView.make)
      let isSuspended = callbacks.contains { $0["type"] == "SuspendedTextOutputCallback" }
      ending = isSuspended ? .suspended : .step
      status = 200
    case let success as SuccessNode:
      answer = Self.object(success.input)
      (ending, status, token) = (.success, 200, success.session.value)
    case let error as ErrorNode:
      answer = Self.object(error.input)
      (ending, status, message) = (.failure, error.status, error.message)
    case let failure as FailureNode:
      if case ApiError.error(let code, let body, _) = failure.cause {
        (status, answer) = (code, Self.object(body))
      }
      // A suspended journey on a server that sends no `authId`.
      if status == 200, let shown = answer["callbacks"]?.arrayValue {
        callbacks = shown.map(CallbackView.make)
        ending = .suspended
      } else {
        (ending, message) = (.failure, answer["message"]?.stringValue ?? "\(failure.cause)")
      }
    default: ending = .failure
    }
  }

  private static func object(_ loose: [String: Any]) -> JSONObject {
    JSONValue(any: loose, nothing: .null)?.objectValue ?? JSONObject()
  }

  /// The observed value of a fact; `nil` when there is none.
  func fact(_ name: String) -> JSONValue? {
    switch name {
    case "callbacks": .array(callbacks)
    case "header", "description", "stage", "evidence": answer[name]
    case "message": message.map { .string($0) }
    case "status": status.map { .integer(Int64($0)) }
    case "session": .bool(token?.isEmpty == false)
    case "user": visits.last?.state.username.map { .string($0) }
    case "level": visits.last.map { .integer(Int64($0.state.authLevel)) }
    case "state": visits.last.map { .object(Self.merged($0.state)) }
    case "visited": .array(visits.filter(\.isDecision).map { .string($0.text) })
    case "account": account
    default: nil
    }
  }

  /// The state in the order in which nodes look it up: transient before secure before shared.
  private static func merged(_ state: JourneyState) -> JSONObject {
    var all = state.shared
    all.merge(state.secure)
    all.merge(state.transient)
    return all
  }

  /// The value of the hidden callback with this id.
  func hidden(_ id: String) -> String? {
    callbacks.first { $0["type"] == "HiddenValueCallback" && $0["id"]?.stringValue == id }?["value"]?
      .stringValue
  }

  /// One line about the state, for failures.
  var summary: String {
    switch ending {
    case .step?: "asks \(callbacks.map(Comparison.text).joined(separator: ", "))"
    case .suspended?: "suspended: \(callbacks.map(Comparison.text).joined(separator: ", "))"
    case .success?: "success"
    case .failure?: "failure: \(message ?? "no message")\(status.map { " (\($0))" } ?? "")"
    case nil: "nothing yet"
    }
  }
}

extension NodeVisit {
  /// Whether the visit has ended; a node that asks for input is visited again.
  fileprivate var isDecision: Bool { if case .callbacks? = result { false } else { true } }
}
