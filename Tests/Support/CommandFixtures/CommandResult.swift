internal import Foundation
package import StrictJSON

/// What a finished command left.
package struct CommandResult: Sendable {
  /// The exit code, or 128 plus the signal that ended the command.
  package let status: Int32
  package let output: String
  package let errors: String

  package init(status: Int32, output: String, errors: String) {
    (self.status, self.output, self.errors) = (status, output, errors)
  }

  package var json: JSONValue {
    get throws { try JSONValue(parsing: output.trimmingCharacters(in: .newlines)) }
  }
}
