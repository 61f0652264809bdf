import ArgumentParser
import PingOrchestrate
import StrictJSON
import TerminalPrompts

/// `--json`.
struct ResultOptions: ParsableArguments {
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

  /// Reports what was done: one sentence on standard error, or one object on standard output.
  func done(_ sentence: String, _ object: JSONObject) { Output.done(sentence, object, isJSON: json) }

  /// Prints a list of this program's own data.
  func list<Row>(
    _ rows: [Row], _ columns: [Column<Row>], none: String? = nil, cutsLast: Bool = false,
    record: ((Row) -> JSONValue)? = nil
  ) { Output.list(rows, columns, isJSON: json, none: none, cutsLast: cutsLast, record: record) }

  /// Prints a list of a server's records; the JSON has them unchanged.
  func records(
    _ records: [JSONValue], _ columns: [Column<JSONValue>], none: String? = nil, cutsLast: Bool = false
  ) { Output.list(records, columns, isJSON: json, none: none, cutsLast: cutsLast) { $0 } }
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
