import CommonFixtures
import Concurrency
import Foundation
import JourneyScripts
import StrictJSON
import Testing

/// Workers of the program `ScriptHost`.
struct Scripts {
  let workers: ScriptWorkers

  /// Long enough for a machine that does much else; what ends a run here is another limit, unless a test says so.
  static var limits: ScriptLimits {
    var limits = ScriptLimits()
    limits.wallTime = .seconds(120)
    #if SEALRING_SANITIZER
      // A program with a sanitizer in it holds and computes many times as much.
      limits.memory *= 16
      limits.time *= 20
    #endif
    return limits
  }

  static let program = BuiltProgram.path("ScriptHost")

  init(count: Int = 1, limits: ScriptLimits = Self.limits) {
    workers = ScriptWorkers(program: Self.program, count: count, limits: limits)
  }

  func run(
    _ source: String, legacy: Bool = false, libraries: [String: String] = [:],
    calls: any ScriptCalls = Calls(),
    _ bindings: JSONObject = [:]
  ) async throws -> ScriptOutput {
    try await workers.run(
      ScriptRun(
        name: "Test", source: source, isLegacy: legacy, libraries: libraries, bindings: bindings),
      calls: calls)
  }

  /// The outcome that the script chose.
  func outcome(
    of source: String, legacy: Bool = false, _ bindings: JSONObject = [:]
  ) async throws -> String? {
    try await run(source, legacy: legacy, bindings).decision["outcome"]?.stringValue
  }

  /// Why the run had no result.
  func failure(
    of source: String, legacy: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> ScriptError {
    do {
      let output = try await run(source, legacy: legacy)
      Issue.record("the script ended with \(output.decision)", sourceLocation: sourceLocation)
      throw CancellationError()
    } catch let error as ScriptError {
      return error
    }
  }
}

/// Answers every call with its own name and arguments, and remembers them.
final class Calls: ScriptCalls {
  let calls = Locked<[String]>([])
  private let answer: @Sendable (String, [JSONValue]) throws -> JSONValue

  init(_ answer: @escaping @Sendable (String, [JSONValue]) throws -> JSONValue = { _, _ in .null }) {
    self.answer = answer
  }

  func answer(_ function: String, _ arguments: [JSONValue]) async throws -> JSONValue {
    calls.withLock { $0.append(function) }
    return try answer(function, arguments)
  }
}
