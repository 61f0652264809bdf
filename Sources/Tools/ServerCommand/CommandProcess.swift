import Concurrency
import Foundation
import PrivateFiles
import TerminalText

/// What a command has from the process that runs it. ``Environment``, ``Output``, ``CurrentSettings`` and the readers of standard input take it
/// from ``current``, so that tests can run commands side by side in one process.
package struct CommandProcess: Sendable {
  /// The program itself, unless the task is in ``run(_:)`` of another.
  @TaskLocal package static var current = CommandProcess()

  /// The descriptors of the standard streams.
  package let input: Int32
  package let output: Int32
  let errors: Int32

  /// `nil` asks the system each time, so that a secret which is taken out of the environment stays nowhere.
  private let variables: [String: String]?

  /// The settings that the command has loaded.
  let settings = Locked(CurrentSettings.State())

  private init() { (input, output, errors, variables) = (STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, nil) }

  /// A process with these variables, whose standard streams are the given descriptors.
  package init(environment: [String: String], input: Int32, output: Int32, errors: Int32) {
    (self.input, self.output, self.errors, variables) = (input, output, errors, environment)
  }

  package var environment: [String: String] { variables ?? ProcessInfo.processInfo.environment }

  /// Runs `command` in this process: it finds its client's home and its time zone in ``environment``, too.
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
