import CommonFixtures
import Foundation

/// A command on a pseudo-terminal of its own, which the test reads and types on.
final class TerminalCommand: Sendable {
  private let terminal: PseudoTerminal
  private let process: SpawnedProgram

  /// - Parameter size: columns and rows.
  init(_ tool: CommandLineTool, _ arguments: [String], size: (columns: UInt16, rows: UInt16) = (80, 24))
    throws
  {
    guard let terminal = PseudoTerminal() else { throw POSIXError(.ENODEV) }
    terminal.resize(columns: size.columns, rows: size.rows)
    self.terminal = terminal
    let environment = ["SEALRING_HOME": tool.home.path(percentEncoded: false)]
    // The first terminal that the leader of a session opens is its own.
    process = try SpawnedProgram(
      CommandLineTool.binary.path(percentEncoded: false), arguments,
      environment: SpawnedProgram.environment(environment.merging(tool.environment) { $1 }),
      input: .device(terminal.path), output: .device(terminal.path), errors: .device(terminal.path),
      leadsSession: true)
  }

  func type(_ text: String) { terminal.type(text) }

  func send(_ signal: Int32) { process.send(signal) }

  /// What is shown, up to and with `end`, or to the command's end.
  func read(until end: String) async -> String {
    await terminal.read(until: end).replacingOccurrences(of: "\r", with: "")
  }

  /// The rest of what is shown, and the exit code.
  func finish() async -> (status: Int32, shown: String) {
    let shown = await read(until: "\u{0}")
    return (await process.end(), shown)
  }
}
