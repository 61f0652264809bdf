public import StrictJSON

/// One run of a script: its text, and what it finds.
public struct ScriptRun: Sendable {
  /// What log lines and errors call it.
  public var name: String

  /// JavaScript.
  public var source: String

  /// Whether the script has the bindings of evaluator version 1.0.
  public var isLegacy: Bool

  /// The scripts that `require` finds, by name.
  public var libraries: [String: String]

  /// Shared and transient state, the client's answer, the request: what `Prelude/run.js` reads.
  public var bindings: JSONObject

  public init(
    name: String, source: String, isLegacy: Bool, libraries: [String: String] = [:],
    bindings: JSONObject = JSONObject()
  ) {
    self.name = name
    self.source = source
    self.isLegacy = isLegacy
    self.libraries = libraries
    self.bindings = bindings
  }

  /// The realm whose share of the workers the run takes from.
  var realm: String { bindings["realm"]?.stringValue ?? "" }

  /// The members that the prelude expects in any case.
  private static let empty: JSONObject = [
    "shared": [:], "transient": [:], "callbacks": [], "headers": [:], "parameters": [:], "cookies": [:],
    "session": .null, "resumed": false, "realm": "/", "cookieName": "",
  ]

  func message(logBytes: Int) -> JSONObject {
    var json = Self.empty
    json.merge(bindings)
    json["name"] = .string(name)
    json["source"] = .string(source)
    json["legacy"] = .bool(isLegacy)
    json["libraries"] = .object(JSONObject(libraries.map { ($0, .string($1)) }))
    json["logBytes"] = .integer(Int64(logBytes))
    return json
  }
}

/// The result of a run. Nothing in it is trusted, because the script wrote it.
public struct ScriptOutput: Sendable {
  /// What `Prelude/run.js` makes of the script's decision.
  public var decision: JSONObject

  /// What the script logged: level and text.
  public var log: [ScriptLogLine]
}

/// A line that a script logged.
public struct ScriptLogLine: Sendable, Hashable {
  /// `trace`, `debug`, `info`, `warning` or `error`.
  public var level: String
  public var text: String

  static let levels: Set = ["trace", "debug", "info", "warning", "error"]

  public init(level: String, text: String) {
    self.level = level
    self.text = text
  }
}

/// Answers what a script asks the server for.
public protocol ScriptCalls: Sendable {
  /// - Parameters:
  ///   - function: what is called, for example `openidm.read`.
  ///   - arguments: from the script, to be checked.
  /// - Throws: what the script gets as an error.
  func answer(_ function: String, _ arguments: [JSONValue]) async throws -> JSONValue
}

/// Refuses every call.
public struct NoScriptCalls: ScriptCalls {
  public init() {}

  public func answer(_ function: String, _ arguments: [JSONValue]) async throws -> JSONValue {
    throw ScriptError(.failed, "\(function) is not available here")
  }
}

/// Why a run has no result.
public struct ScriptError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The script threw, or is not JavaScript.
    case failed
    /// It computed for too long.
    case time
    /// It took too long, most of it waiting.
    case wallTime
    /// It took too much memory.
    case memory
    /// It wrote too much output.
    case output
    /// Its worker died, or sent an unknown message.
    case worker
    /// All workers are busy, and others wait already.
    case busy
    /// There are no workers, because the library is missing or the server is not set up for scripts.
    case unavailable
  }

  public var reason: Reason
  public var description: String

  /// What the script logged before.
  public var log: [ScriptLogLine]

  /// Whether the worker itself ended the run, and is ready for the next one.
  var isOrderly = false

  public init(_ reason: Reason, _ description: String, log: [ScriptLogLine] = []) {
    self.reason = reason
    self.description = description
    self.log = log
  }
}

/// What one run of a script can use. A run over a limit ends without a result; the others keep running.
public struct ScriptLimits: Sendable, Hashable {
  /// How long a script may compute, in its worker's processor time.
  public var time = Duration.milliseconds(200)

  /// How long a run may take with everything that it waits for.
  public var wallTime = Duration.seconds(10)

  /// Resident memory of a worker, bytes; about 40 MB are its own.
  public var memory = 192 << 20

  /// The longest message of a worker, bytes: what a run leaves, or one call.
  public var message = 1 << 20

  /// What all messages of one run may have together, bytes.
  public var output = 8 << 20

  /// What a script may log, in characters.
  public var log = 64 << 10

  /// How many runs may wait for a worker. A realm may have as many waiting as there are places left.
  public var waiting = 1000

  public init() {}

  /// How long a script may be over its time before the server ends its worker; until then, the worker may end the script. It cannot end
  /// everything: a regular expression cannot be interrupted, and an endless chain of promises is not noticed.
  static let grace = Duration.milliseconds(8)

  /// The least that a message counts, in bytes, so that a worker cannot send empty ones without end.
  static let leastMessage = 256

  /// How often the server looks at a worker that is still computing.
  static let interval = Duration.milliseconds(2)

  /// How long a new worker may take to be ready.
  static let startTime = Duration.seconds(60)
}
