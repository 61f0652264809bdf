import CommonFixtures
/// Every file takes apart what commands leave.
@_exported import CommandFixtures
import Foundation

/// Runs the `sealring` binary that was built with these tests.
struct CommandLineTool: CommandRunner {
  typealias Result = CommandResult

  let home: URL

  var environment: [String: String] = [:]

  static let binary = BuiltProgram.url("sealring")

  func run(_ arguments: [String], input: String = "") async throws -> Result {
    try await start(arguments, input: input).finish()
  }

  /// Starts a command that the test will talk to or end.
  func start(_ arguments: [String], input: String = "") throws -> RunningCommand {
    try RunningCommand(
      path: Self.binary.path(percentEncoded: false), arguments: arguments, environment: variables,
      input: input)
  }
}
