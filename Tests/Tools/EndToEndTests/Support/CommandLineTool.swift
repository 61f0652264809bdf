import Concurrency
import Foundation
import StrictJSON
import Testing

/// Runs the `sealring` binary that was built with these tests.
struct CommandLineTool {
  /// What a finished command left.
  struct Result {
    /// The exit code, or 128 plus the signal that ended the command.
    let status: Int32
    let output: String
    let errors: String

    var json: JSONValue {
      get throws { try JSONValue(parsing: output.trimmingCharacters(in: .newlines)) }
    }
  }

  /// The device's state folder of this test; other folders are other devices.
  let home: URL

  var environment: [String: String] = [:]

  static var binary: URL {
    // The test bundle lies beside the executables of the same build.
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "sealring")
  }

  /// Runs a command to its end.
  func run(_ arguments: [String], input: String = "") async throws -> Result {
    try await start(arguments, input: input).finish()
  }

  /// Starts a command that the test will talk to or end.
  func start(_ arguments: [String], input: String = "") throws -> RunningCommand {
    var environment = ProcessInfo.processInfo.environment
    environment["SEALRING_HOME"] = home.path(percentEncoded: false)
    // Whoever runs the tests may have settings.
    environment["XDG_CONFIG_HOME"] = home.appending(path: "settings-of-nobody").path(percentEncoded: false)
    environment.merge(self.environment) { $1 }
    return try RunningCommand(
      path: Self.binary.path(percentEncoded: false), arguments: arguments, environment: environment,
      input: input)
  }
}
