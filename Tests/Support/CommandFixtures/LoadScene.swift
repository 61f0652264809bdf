package import Foundation
package import StrictJSON

/// A server with the accounts of three devices, for `sealring load`.
package struct LoadScene<Tool: CommandRunner, Server: CommandServer>: Sendable {
  package let setup: CommandScene<Tool, Server>
  package let folder: URL

  package var devices: [String] {
    ["--devices", "3", "--devices-folder", folder.path(percentEncoded: false)]
  }

  package static func run(_ body: (Self) async throws -> Void) async throws {
    try await CommandScene<Tool, Server>.run { setup in
      let accounts = ["load", "accounts", "--devices", "3", "--password-stdin", "--json"]
      let added = try await setup.done(accounts, input: CommandScene<Tool, Server>.password + "\n")
      guard try added.json == ["added": 3, "there": 0] else {
        throw CommandRefused(arguments: accounts, errors: added.output)
      }
      try await body(Self(setup: setup, folder: setup.folder.appending(path: "devices")))
    }
  }

  /// Plays a scenario with all devices for a moment.
  ///
  /// - Parameter input: Mira's password, unless another is given.
  package func load(
    _ scenario: String, _ more: [String] = [], input: String? = nil
  ) async throws -> CommandResult {
    try await setup.run(
      ["load", scenario, "--json"] + devices + more,
      input: input ?? "\(CommandScene<Tool, Server>.password)\n")
  }

  /// The report of a load that has to succeed with every run.
  package func report(
    _ scenario: String, _ more: [String] = [], input: String? = nil
  ) async throws -> JSONValue {
    let result = try await load(scenario, more, input: input)
    guard result.status == 0, case let report = try result.json, report["failed"] == 0,
      report["ended"] == ["completed"]
    else { throw CommandRefused(arguments: [scenario] + more, errors: result.errors + result.output) }
    return report
  }
}
