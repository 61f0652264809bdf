import Agent
import ArgumentParser
import Bytes
import Foundation
import PrivateFiles
import ServerCommand
import StrictJSON
import TerminalText

struct AgentStatus: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show what the agent is asking, and what it does not ask again.")

  @OptionGroup var place: AgentCommand.SocketOptions
  @OptionGroup var output: ResultOptions

  func run() async throws {
    let status = try place.ask(.status)
    output.result(Self.text(status), status)
  }

  private static func text(_ status: JSONObject) -> String {
    var lines = [
      "Since \(time(status["startedAt"])). "
        + (status["locked"] == true ? "Locked: no key is offered." : "Not locked.")
    ]
    if let question = status["question"], !question.isNull {
      lines.append("It asks, until \(time(question["until"])):\n" + facts(question["facts"]))
    }
    let remembered = status["remembered"]?.arrayValue ?? []
    if remembered.isEmpty { lines.append("It asks each time: no answer is remembered now.") }
    for answer in remembered {
      let program = answer["program"]?.stringValue ?? ""
      lines.append(
        printable(
          "\(answer["purpose"]?.stringValue ?? "") by \(program), not asked until \(time(answer["until"])):")
          + "\n" + facts(answer["facts"]))
    }
    return lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
  }

  private static func facts(_ facts: JSONValue?) -> String {
    TerminalText.rows((facts?.objectValue ?? [:]).map { ($0.name, $0.value.stringValue ?? "") })
  }

  private static func time(_ value: JSONValue?) -> String {
    value?.stringValue.flatMap { Date(iso8601: $0) }.map { Times.text($0) } ?? "?"
  }
}

struct AgentLock: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Make the agent forget its remembered answers, and refuse what it is asking.",
    discussion:
      "The next use is asked for again. To have no key offered until a passphrase is given, use ssh-add -x, and -X to unlock."
  )

  @OptionGroup var place: AgentCommand.SocketOptions
  @OptionGroup var output: ResultOptions

  func run() async throws {
    let answer = try place.ask(.lock)
    let count = answer["forgotten"]?.integerValue ?? 0
    output.done(
      "Forgot \(count) remembered \(count == 1 ? "answer" : "answers"). The next use is asked for.", answer)
  }
}

struct AgentLogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show what the agent was asked for, and what was answered.",
    discussion:
      "A program of yours can change this file, as all of yours: it tells what happened, and proves nothing.")

  @Option(name: .customLong("last"), help: "How many entries (1 to 10000).")
  var last = 50

  @OptionGroup var output: ResultOptions

  func validate() throws {
    guard (1...10_000).contains(last) else { throw ValidationError("--last needs 1 to 10000, not \(last).") }
  }

  func run() async throws {
    let entries = try AgentLog.entries(in: AgentCommand.logFile(), last: last)
    output.records(
      entries,
      [
        Column("TIME") { $0["time"]?.stringValue.flatMap { Date(iso8601: $0) }.map { Times.text($0) } },
        Column("ANSWER") { entry in
          let reason = entry["reason"]?.stringValue ?? ""
          return (entry["answer"]?.stringValue ?? "") + (reason.isEmpty ? "" : ": \(reason)")
        },
        Column("PURPOSE", of: "purpose"),
        Column("PROGRAM") { "\($0["program"]?.stringValue ?? "") (\($0["process"]?.integerValue ?? 0))" },
        Column("FOR") { entry in
          (entry["facts"]?.objectValue ?? [:]).map { "\($0.name): \($0.value.stringValue ?? "")" }
            .joined(separator: "; ")
        },
      ], none: "The agent was not asked for anything yet.")
  }
}

extension AgentCommand.SocketOptions {
  /// Sends `act` to the agent, and returns the answer.
  func ask(_ act: AgentControl.Act) throws -> JSONObject {
    #if os(Linux)
      let answer = try AgentConnection.ask(act.message, at: AgentSocket.control(beside: file()))
      guard let object = try? JSONValue(parsing: answer).objectValue else {
        throw AgentError("The agent's answer cannot be read. End it and start it again.")
      }
      if let reason = object["error"]?.stringValue { throw AgentError(printable(reason)) }
      return object
    #else
      throw AgentCommand.needsLinux
    #endif
  }
}
