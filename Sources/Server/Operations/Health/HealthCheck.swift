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

    /// A subject of the server's checks. The pages' texts have its name.
    package init(_ id: String) { (self.id, name) = (id, Phrase("checkNames.\(id)")) }

    /// A subject that only commands check, with its name in English.
    package init(_ id: String, _ name: String) { (self.id, self.name) = (id, .words(name)) }

    /// A finding in English.
    ///
    /// - Parameter advice: what to do, with every failure.
    package func callAsFunction(_ state: State, _ finding: String, advice: String? = nil) -> HealthCheck {
      HealthCheck(
        subject: self, state: state, finding: .words(finding), advice: advice.map { .words($0) })
    }

    /// A finding as one of the pages' texts. The text with `Advice` at the end of its name says what to do.
    ///
    /// - Parameters:
    ///   - text: the name of the text. With a failure, the text must have an advice.
    ///   - values: the values in both texts.
    ///   - spans: times in seconds in both texts.
    package func callAsFunction(
      _ state: State, text: String, _ values: [String: String] = [:], spans: [String: Double] = [:]
    ) -> HealthCheck {
      let finding = Phrase(text, values, spans: spans)
      return HealthCheck(subject: self, state: state, finding: finding, advice: finding.advice)
    }

    /// A weakness of the configuration.
    package func callAsFunction(weakness: Phrase) -> HealthCheck {
      HealthCheck(subject: self, state: .warning, finding: weakness, advice: Phrase("checks.weaknessAdvice"))
    }
  }

  package let subject: Subject
  package let state: State
  package let finding: Phrase
  /// What to do.
  package let advice: Phrase?

  /// The largest difference of clocks that whole seconds and travel times explain. Seconds.
  package static let clockExactness = 2.0

  package var json: JSONValue {
    [
      "check": .string(subject.id), "state": .string(state.rawValue), "finding": .string(finding.english),
      "advice": advice.map { .string($0.english) } ?? .null,
    ]
  }
}
