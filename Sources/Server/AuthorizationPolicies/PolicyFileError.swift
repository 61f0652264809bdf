internal import StrictJSON

/// What is wrong with a file of policies: where it stands, and what is allowed there.
package struct PolicyFileError: Error, Sendable, Hashable, CustomStringConvertible {
  package let file: String

  /// The policy's or policy set's name; `nil` for the file as a whole.
  package let policy: String?

  /// The property, with the names of those around it: `condition.conditions[1].startTime`.
  package let property: String?
  package let problem: String

  init(file: String, policy: String? = nil, _ fault: JSONFault) {
    (self.file, self.policy, property, problem) = (file, policy, fault.path, fault.problem)
  }

  package var description: String {
    var text = file
    if let policy { text += ": policy \(policy.quoted)" }
    if let property, !property.isEmpty { text += ": \(property)" }
    return "\(text): \(problem)"
  }
}

/// Something that loads but is likely a mistake.
package struct PolicyWarning: Sendable, Hashable, CustomStringConvertible {
  package let file: String
  package let policy: String
  package let property: String
  package let problem: String

  package var description: String {
    "\(file): policy \(policy.quoted): \(property): \(problem)"
  }
}
