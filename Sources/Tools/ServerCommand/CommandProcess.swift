import Concurrency
import Foundation
import PrivateFiles
import TerminalText

/// A command's process: its streams, environment and settings. ``Environment``, ``Output``, ``CurrentSettings`` and the readers of
/// standard input use ``current``, so that tests can run commands in parallel in one process.
package struct CommandProcess: Sendable {
  /// The process of the program itself, unless the task runs in ``run(_:)`` of another.
  @TaskLocal package static var current = CommandProcess()

  /// The descriptors of the standard streams.
  package let input: Int32
  package let output: Int32
  let errors: Int32

  /// `nil` reads the environment each time, so that a secret removed from it is kept nowhere.
  private let variables: [String: String]?

  /// The settings that the command has loaded.
  let settings = Locked(CurrentSettings.State())

  private init() { (input, output, errors, variables) = (STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, nil) }

  /// Creates a process with these variables and these descriptors as standard streams.
  package init(environment: [String: String], input: Int32, output: Int32, errors: Int32) {
    (self.input, self.output, self.errors, variables) = (input, output, errors, environment)
  }

  package var environment: [String: String] { variables ?? ProcessInfo.processInfo.environment }

  /// Runs `command` in this process, which also finds its client home and its time zone in ``environment``.
  package func run<Result: Sendable>(
    _ command: @Sendable () async throws -> Result
  ) async rethrows -> Result {
    let zone = Times.Zone(local: environment["TZ"].flatMap(TimeZone.init(identifier:)))
    return try await Self.$current.withValue(self) {
      try await ClientHome.$ofTask.withValue(ClientHome(environment: environment)) {
        try await Times.$zone.withValue(zone) { try await command() }
      }
    }
  }
}
