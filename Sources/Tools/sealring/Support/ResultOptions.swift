import ArgumentParser
import PingOrchestrate
import TerminalPrompts

/// `--json`.
struct ResultOptions: ParsableArguments, JSONFlag {
  @Flag(help: "Print the result as JSON.")
  var json = false

  /// With JSON, leaves the session to the caller; otherwise the session ends with the command, and this says so.
  func handOver(_ session: any Session) {
    guard !session.value.isEmpty else { return }
    if json {
      OpenSessions.ofThisCommand.keep()
    } else {
      OpenSessions.ofThisCommand.tellEnd()
    }
  }
}

/// `--yes` of commands that delete.
struct Confirmation: ParsableArguments {
  @Flag(help: "Do not ask for confirmation.")
  var yes = false

  /// Continues only if the user confirms.
  func ask(_ question: String) async throws {
    guard !yes else { return }
    switch await Terminal.controlling.askYesNo(question) {
    case .yes: return
    case .no, .cancelled: throw CommandFailure.cancelled("Nothing was deleted.")
    case .unavailable(let reason):
      throw CommandFailure.cancelled("Nothing was deleted: nobody can be asked (\(reason)). Add --yes.")
    }
  }
}
