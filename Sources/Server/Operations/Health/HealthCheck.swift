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
    package let name: Phrase

    /// What a server is checked for. The pages' texts have its name.
    package init(_ id: String) { (self.id, name) = (id, Phrase("checkNames.\(id)")) }

    /// What only commands check, and name in English.
    package init(_ id: String, _ name: String) { (self.id, self.name) = (id, .words(name)) }

    /// What was found, for people who read English.
    ///
    /// - Parameter advice: there is one with every failure.
    package func callAsFunction(_ state: State, _ finding: String, advice: String? = nil) -> HealthCheck {
      HealthCheck(
        subject: self, state: state, finding: .words(finding), advice: advice.map { .words($0) })
    }

    /// What was found, as one of the pages' texts; the text of the same name and `Advice` says what to do.
    ///
    /// - Parameters:
    ///   - text: the name of the text, with a failure of one that has an advice.
    ///   - values: what stands in both.
    ///   - spans: times in seconds that stand in both.
    package func callAsFunction(
      _ state: State, text: String, _ values: [String: String] = [:], spans: [String: Double] = [:]
    ) -> HealthCheck {
      let finding = Phrase(text, values, spans: spans)
      return HealthCheck(subject: self, state: state, finding: finding, advice: finding.advice)
    }
  }

  package let subject: Subject
  package let state: State
  package let finding: Phrase
  /// What to do.
  package let advice: Phrase?

  package init(subject: Subject, state: State, finding: Phrase, advice: Phrase?) {
    (self.subject, self.state, self.finding, self.advice) = (subject, state, finding, advice)
  }

  /// Differences of clocks up to this are explained by whole seconds and travel times. Seconds.
  package static let clockExactness = 2.0

  package var json: JSONValue {
    [
      "check": .string(subject.id), "state": .string(state.rawValue), "finding": .string(finding.english),
      "advice": advice.map { .string($0.english) } ?? .null,
    ]
  }
}
