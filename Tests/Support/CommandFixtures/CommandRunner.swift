package import Foundation

/// Runs commands of `sealring` for a device of its own: as programs, or in the test's process.
package protocol CommandRunner: Sendable {
  init(home: URL, environment: [String: String])

  /// The device's state folder of this test; other folders are other devices.
  var home: URL { get }

  /// Variables beside those of the test.
  var environment: [String: String] { get }

  /// Runs a command to its end.
  func run(_ arguments: [String], input: String) async throws -> CommandResult
}

extension CommandRunner {
  /// All variables of a command.
  package var variables: [String: String] {
    var variables = ProcessInfo.processInfo.environment
    variables["SEALRING_HOME"] = home.path(percentEncoded: false)
    // Whoever runs the tests may have settings.
    variables["XDG_CONFIG_HOME"] = home.appending(path: "settings-of-nobody").path(percentEncoded: false)
    return variables.merging(environment) { $1 }
  }
}
