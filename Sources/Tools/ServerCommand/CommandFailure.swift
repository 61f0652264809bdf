import ArgumentParser
package import CommandSettings
package import StrictJSON

/// Why a command failed: one sentence that includes the next step. It is printed to standard error; the exit code is 1.
package struct CommandFailure: Error, CustomStringConvertible {
  package let description: String

  /// The kind of failure, for programs: `--json` prints it (docs/command-line.md has the table).
  package let code: Code

  package init(_ description: String, code: Code = .failed) {
    self.description = description
    self.code = code
  }

  package enum Code: String, CaseIterable {
    /// A failure of no other kind.
    case failed
    /// The command line is wrong. The exit code is 64, or 1 like that of all other kinds if the command finds out later.
    case usage
    /// The server refused without giving a reason, as after a wrong password or one-time code; or the command refused by itself.
    case refused
    /// The PIN of a key or a security key, or the number or code of a push request was wrong.
    case wrongSecret
    /// Too many wrong tries: nothing is accepted for a time, or ever.
    case locked
    /// The time ran out.
    case expired
    /// The server cannot be reached.
    case unreachable
    /// The named thing does not exist.
    case notFound
    /// The thing already exists.
    case conflict
    /// The input cannot be used: a file, an address, a setting, or a new password or PIN that breaks a rule.
    case invalid
    /// Stored or exported data was changed or is incomplete.
    case damaged
    /// The session or the role lacks permission, or a stronger sign-in is needed.
    case forbidden
    /// The device, the terminal or the server does not support it.
    case unsupported
    /// The user declined, or nobody could be asked.
    case cancelled
    /// There are too many requests, or the server has too much work at the moment.
    case busy
  }

  /// Creates the failure for an error in the settings.
  package init(_ error: SettingsError) {
    self.init(error.description, code: error.isMissing ? .notFound : .invalid)
  }

  /// The failure as one JSON object, for standard error.
  package var json: JSONValue {
    ["error": ["code": .string(code.rawValue), "message": .string(description)]]
  }

  /// - Parameter status: the HTTP status of a server's answer.
  package static func code(forStatus status: Int) -> Code {
    switch status {
    case 400, 413, 415, 422: .invalid
    case 401: .refused
    case 403: .forbidden
    case 404: .notFound
    case 405, 501: .unsupported
    case 408: .expired
    case 409, 412: .conflict
    case 429, 503: .busy
    default: .failed
    }
  }
}

// MARK: One for each kind

extension CommandFailure {
  package static func usage(_ text: String) -> CommandFailure { CommandFailure(text, code: .usage) }
  package static func refused(_ text: String) -> CommandFailure { CommandFailure(text, code: .refused) }
  package static func wrongSecret(_ text: String) -> CommandFailure {
    CommandFailure(text, code: .wrongSecret)
  }
  package static func locked(_ text: String) -> CommandFailure { CommandFailure(text, code: .locked) }
  package static func expired(_ text: String) -> CommandFailure { CommandFailure(text, code: .expired) }
  package static func unreachable(_ text: String) -> CommandFailure {
    CommandFailure(text, code: .unreachable)
  }
  package static func notFound(_ text: String) -> CommandFailure { CommandFailure(text, code: .notFound) }
  package static func conflict(_ text: String) -> CommandFailure { CommandFailure(text, code: .conflict) }
  package static func invalid(_ text: String) -> CommandFailure { CommandFailure(text, code: .invalid) }
  package static func damaged(_ text: String) -> CommandFailure { CommandFailure(text, code: .damaged) }
  package static func forbidden(_ text: String) -> CommandFailure { CommandFailure(text, code: .forbidden) }
  package static func unsupported(_ text: String) -> CommandFailure {
    CommandFailure(text, code: .unsupported)
  }
  package static func cancelled(_ text: String) -> CommandFailure { CommandFailure(text, code: .cancelled) }
  package static func busy(_ text: String) -> CommandFailure { CommandFailure(text, code: .busy) }
}

extension ClosedRange<Int> {
  /// - Throws: `ValidationError` for a value of `option` outside the range.
  package func require(_ value: Int, for option: String, unit: String = "") throws {
    guard contains(value) else {
      throw ValidationError("\(option) is a number\(unit) from \(lowerBound) to \(upperBound).")
    }
  }
}
