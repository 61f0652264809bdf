import ArgumentParser
import TerminalPrompts
import WebAddresses

/// Asks for consent before loading another machine.
struct LoadConsent: ParsableArguments {
  @Flag(help: "Load a server on another machine without asking.")
  var yes = false

  /// Announces the load, and asks unless the server is on this machine.
  func ask(_ statement: String, at address: String) async throws {
    Output.remark(statement)
    guard !yes, WebOrigin(address: address)?.isLoopback != true else { return }
    switch await Terminal.controlling.askYesNo(
      "That is another machine. Is it yours, and may it be loaded?")
    {
    case .yes: return
    case .no, .cancelled: throw CommandFailure.cancelled("Nothing was loaded.")
    case .unavailable(let reason):
      throw CommandFailure.cancelled(
        "Nothing was loaded: the server is another machine, and nobody can be asked (\(reason)). If it is yours, add --yes."
      )
    }
  }
}
