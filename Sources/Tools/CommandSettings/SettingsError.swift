internal import Bytes
internal import TOML

/// An error in a settings file, a variable, or a profile's name: one sentence with the next step.
package struct SettingsError: Error, Hashable, CustomStringConvertible {
  package let description: String

  /// Whether the named file, setting or profile does not exist.
  package let isMissing: Bool

  package init(_ description: String, isMissing: Bool = false) {
    self.description = description
    self.isMissing = isMissing
  }

  init(_ error: TOMLError, _ path: String) {
    self.init("\(path), line \(error.line): \(error.problem.onOneLine).")
  }
}
