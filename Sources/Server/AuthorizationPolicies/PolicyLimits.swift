internal import StrictJSON

/// Limits of a realm's policies and of requests to them.
package enum PolicyLimits {
  /// Longest file in bytes.
  package static let fileBytes = 4 << 20
  static let policies = 1000
  static let textBytes = 2048
  static let values = 200
  static let wildcards = 16

  /// How files are read: exports of the platform write `null` and empty texts for what is not set, so both are skipped.
  static let rules = JSONReader.Rules(skipsBlanks: true, longestText: textBytes, mostElements: values)

  /// Deepest nesting of subjects and conditions, and the most of them in one policy.
  static let depth = 16
  static let parts = 200

  /// Resources of one request.
  static let resources = 100

  /// The most that one run of a script may compare, in bytes of resources and patterns, and in values.
  package static let work = 8_000_000
}

/// The cost that an evaluation may still spend.
package struct PolicyBudget: Sendable {
  package private(set) var left: Int

  package init(_ left: Int = PolicyLimits.work) { self.left = left }

  mutating func spend(_ amount: Int) throws(PolicyRequestError) {
    left -= amount
    guard left >= 0 else {
      throw PolicyRequestError("evaluating these policies costs more than a script may; ask for less at once")
    }
  }
}

/// An error in a policy file, or a likely mistake in one that loads, with its place and what is allowed there.
package struct PolicyFileError: Error, Sendable, Hashable, CustomStringConvertible {
  package let file: String

  /// The policy's or policy set's name; `nil` for the file as a whole.
  package let policy: String?

  /// The property with its path: `condition.conditions[1].startTime`.
  package let property: String?
  package let problem: String

  init(file: String, policy: String? = nil, property: String?, problem: String) {
    (self.file, self.policy, self.property, self.problem) = (file, policy, property, problem)
  }

  init(file: String, policy: String? = nil, _ fault: JSONFault) {
    self.init(file: file, policy: policy, property: fault.path, problem: fault.problem)
  }

  package var description: String {
    var text = file
    if let policy { text += ": policy \(policy.quoted)" }
    if let property, !property.isEmpty { text += ": \(property)" }
    return "\(text): \(problem)"
  }
}
