package import StrictJSON

/// What one check of a machine found: `sealring doctor` and the administration's page about the server show it.
package struct HealthCheck: Sendable {
  package enum State: String, Sendable {
    case ok, warning, failed
    /// There is nothing of the kind here, which is not a fault.
    case absent
  }

  /// What is checked.
  package struct Subject: Sendable {
    /// For programs.
    package let id: String
    package let name: String

    package init(_ id: String, _ name: String) { (self.id, self.name) = (id, name) }

    /// What was found; with a failure there is always an advice.
    package func callAsFunction(_ state: State, _ finding: String, advice: String? = nil) -> HealthCheck {
      HealthCheck(subject: self, state: state, finding: finding, advice: advice)
    }
  }

  package let subject: Subject
  package let state: State
  package let finding: String
  /// What to do.
  package let advice: String?

  /// Differences of clocks up to this are explained by whole seconds and travel times. Seconds.
  package static let clockExactness = 2.0

  package var json: JSONValue {
    [
      "check": .string(subject.id), "state": .string(state.rawValue), "finding": .string(finding),
      "advice": advice.map { .string($0) } ?? .null,
    ]
  }
}
