import ArgumentParser
import Foundation
import JourneyEngine
import JourneyScripts
import JourneyFiles
import JourneyNodes
import ServerCommand
import StrictJSON
import TerminalText

struct ScriptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "script", abstract: "Run a journey's script alone.", subcommands: [Run.self])

  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Run a script as a ScriptedDecisionNode does, and show its outcome, the state after it, and its log.",
      discussion: """
        The script runs in a process of its own, within the server's limits (docs/scripts.md). There are no identities; requests go to \
        the hosts that --script-host names. Exit code 1 when the script fails.
        """)

    @Argument(help: "The script, JavaScript.", completion: .file(extensions: ["js"]))
    var file: String

    @Option(
      help: ArgumentHelp(
        """
        The state before: a JSON object, or a file with one. Its members are shared state; or it has the members "shared" and "transient".
        """, valueName: "json-or-file"))
    var state = "{}"

    @Flag(help: "Give the script the legacy bindings (evaluator version 1.0).")
    var legacy = false

    @Option(
      help: ArgumentHelp(
        "A library script for require(), by its file's name without the ending. Repeatable.",
        valueName: "file"),
      completion: .file(extensions: ["js"]))
    var library: [String] = []

    @OptionGroup(title: "Scripts, as given to the server") var scripts: ScriptOptions

    @OptionGroup var output: ResultOptions

    /// Longest script and longest state, in bytes.
    private static let limit = 1 << 20

    func run() async throws {
      let (shared, transient) = try givenState()
      var libraries: [String: String] = [:]
      for file in library { libraries[Self.name(of: file)] = try Self.text(of: file) }
      let script = JourneyScript(
        id: file, name: Self.name(of: file), source: try Self.text(of: file),
        evaluatorVersion: legacy ? "1.0" : "2.0")
      let report: ScriptTrial
      do {
        report = try await ScriptRehearsal.run(
          script, libraries: libraries, shared: shared, transient: transient,
          configuration: try scripts.configuration())
      } catch let error as ScriptError {
        show(error.log)
        throw CommandFailure(
          printable(error.description), code: error.reason == .unavailable ? .unsupported : .failed)
      }
      if output.json {
        Output.json([
          "outcome": report.outcome.map { .string($0) } ?? .null,
          "callbacks": .array(report.callbacks.map(JSONValue.object)),
          "suspended": report.suspension.map { .string($0) } ?? .null, "shared": .object(report.state.shared),
          "transient": .object(report.state.transient),
          "log": .array(report.log.map { ["level": .string($0.level), "text": .string($0.text)] }),
          "remarks": .array(report.remarks.map { .string($0) }),
        ])
        return
      }
      show(report.log)
      for remark in report.remarks { Output.remark("remark: \(printable(remark))") }
      if let outcome = report.outcome { Output.line("outcome: \(printable(outcome))") }
      if let message = report.suspension { Output.line("suspended: \(printable(message))") }
      for callback in report.callbacks { Output.line("asks: \(printable(JSONValue.object(callback).text))") }
      Output.line("shared: \(printable(JSONValue.object(report.state.shared).text))")
      Output.line("transient: \(printable(JSONValue.object(report.state.transient).text))")
    }

    private func show(_ log: [ScriptLogLine]) {
      for line in log { Output.remark("\(line.level): \(printable(line.text))") }
    }

    private static func name(of file: String) -> String {
      URL(filePath: file).deletingPathExtension().lastPathComponent
    }

    private static func text(of file: String) throws -> String {
      guard let text = String(validating: try GivenFile.bytes(file, limit: limit), as: UTF8.self) else {
        throw CommandFailure.invalid("\(printable(file)) is not UTF-8 text.")
      }
      return text
    }

    private func givenState() throws -> (shared: JSONObject, transient: JSONObject) {
      let isText = state.drop { $0.isWhitespace }.hasPrefix("{")
      let bytes = isText ? Array(state.utf8) : try GivenFile.bytes(state, limit: Self.limit)
      let object: JSONObject
      do { object = try JSONObject(parsing: bytes) } catch {
        throw CommandFailure.invalid("--state is not a JSON object: \(printable("\(error)"))")
      }
      guard !object.isEmpty, object.names.allSatisfy({ ["shared", "transient"].contains($0) }) else {
        return (object, JSONObject())
      }
      func part(_ name: String) throws -> JSONObject {
        guard let value = object[name] else { return JSONObject() }
        guard let part = value.objectValue else {
          throw CommandFailure.invalid("The member \(name) of --state must be an object.")
        }
        return part
      }
      return (try part("shared"), try part("transient"))
    }
  }
}
