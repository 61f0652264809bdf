internal import Bytes
internal import TOML

/// What is wrong with a file of settings, with a variable, or with the name of a profile: one sentence with what to do next.
package struct SettingsError: Error, Hashable, CustomStringConvertible {
  package let description: String

  /// Whether what was named is not there: a file, a setting or a profile.
  package let isMissing: Bool

  package init(_ description: String, isMissing: Bool = false) {
    self.description = description
    self.isMissing = isMissing
  }

  init(_ error: TOMLError, _ path: String) {
    self.init("\(path), line \(error.line): \(error.problem.onOneLine).")
  }
}
