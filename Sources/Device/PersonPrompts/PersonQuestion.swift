internal import TerminalText

/// A question to a person before a program gets what it asks for.
package struct PersonQuestion: Sendable, Hashable {
  /// A fact that the question shows.
  package struct Fact: Sendable, Hashable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// What is wanted, such as `A program wants to sign in by SSH.`
  package let title: String
  /// What a yes does, such as `Sign in?`
  package let action: String
  /// The program, the key and everything else that decides the answer, one per line.
  package let facts: [Fact]
  /// Whether the key's PIN is needed; otherwise yes or no.
  package let needsPIN: Bool
  /// The terminal of the program that asks; a program could answer yes on its own terminal, but does not know the PIN.
  package let terminal: String?
  /// A remark on the last answer, such as a wrong PIN.
  package var remark: String?

  package init(
    title: String, action: String, facts: [Fact], needsPIN: Bool, terminal: String?, remark: String? = nil
  ) {
    (self.title, self.action, self.facts) = (title, action, facts)
    (self.needsPIN, self.terminal, self.remark) = (needsPIN, terminal, remark)
  }

  /// The value of a fact.
  package subscript(name: String) -> String? { facts.first { $0.name == name }?.value }

  /// The title, after the remark.
  var heading: String { [remark, title].compactMap { $0 }.joined(separator: "\n") }

  /// The facts in full: nothing that decides the answer is cut off. A value that others chose cannot pass for another fact.
  package var details: String { TerminalText.rows(facts.map { ($0.name, $0.value) }, lines: nil) }
}
