/// Every file takes apart what commands leave.
@_exported import CommandFixtures
import DeviceKeys
import Foundation
import ServerCommand
import TerminalPrompts

@testable import sealring

/// Runs the commands of `sealring` in the test's process, each with streams, variables and a home of its own, and without a terminal.
struct CommandLineTool: CommandRunner {
  let home: URL

  var environment: [String: String] = [:]

  func run(_ arguments: [String], input: String = "") async throws -> CommandResult {
    let (input, output, errors) = (try ScratchFile(input), try ScratchFile(), try ScratchFile())
    let process = CommandProcess(
      environment: variables, input: input.descriptor, output: output.descriptor, errors: errors.descriptor)
    let cost = try ScryptCost(rounds: 1 << 10)
    let status = await Terminal.$controlling.withValue(Terminal { -1 }) {
      await SoftwareKeyStore.$costInHome.withValue(cost) {
        await process.run { await Sealring.run(arguments) }
      }
    }
    return CommandResult(status: status, output: try output.text, errors: try errors.text)
  }
}
