import ArgumentParser
import Logging

/// The level and format of the log.
struct LogOptions: ParsableArguments {
  @Option(help: "How much to log: trace, debug, info, notice, warning, error, critical.")
  var logLevel = "notice"

  @Option(help: "Format of the log: text, or json for one object per line (docs/operations.md).")
  var logFormat = LogFormat.text

  enum LogFormat: String, ExpressibleByArgument, CaseIterable { case text, json }

  func validate() throws {
    guard Logger.Level(rawValue: logLevel) != nil else {
      throw ValidationError("--log-level is one of trace, debug, info, notice, warning, error, critical.")
    }
  }
}
