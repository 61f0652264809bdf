/// Why a text is not a document of ``TOMLDocument``.
package struct TOMLError: Error, Hashable, CustomStringConvertible {
  /// Counted from 1.
  package let line: Int
  /// What is wrong there, as a sentence without its full stop.
  package let problem: String

  package init(line: Int, _ problem: String) {
    self.line = line
    self.problem = problem
  }

  package var description: String { "line \(line): \(problem)" }
}
