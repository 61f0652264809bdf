internal import CEmbeddedFiles

/// A fresh JavaScript context with the prelude already in it. One run uses it, and nothing of it survives.
struct PreparedContext {
  typealias Reference = JavaScriptCore.Reference

  private let engine: JavaScriptCore
  private let context: Reference
  private let prelude: Reference

  /// The name of a script in stack traces, by which the prelude finds its lines.
  private static let place = "journey-script"

  /// The files of the folder Prelude, as one function.
  private static let source: [UInt8] = {
    let files = [
      EmbeddedFile.state_js, EmbeddedFile.callbacks_js, EmbeddedFile.services_js, EmbeddedFile.legacy_js,
      EmbeddedFile.run_js,
    ]
    return Array("(function (host, tell) { \"use strict\";\n".utf8)
      + files.flatMap { UnsafeBufferPointer(start: $0.start, count: $0.count) }
      + Array("\n})".utf8)
  }()

  /// - Parameters:
  ///   - host: what the prelude calls, and whose answer it waits for.
  ///   - tell: what the prelude calls without waiting for an answer.
  /// - Returns: `nil` when the engine lacks memory.
  init?(
    _ engine: JavaScriptCore, group: Reference, host: @escaping JavaScriptCore.Function,
    tell: @escaping JavaScriptCore.Function
  ) {
    guard let context = engine.makeContext(group, nil) else { return nil }
    let function = engine.withString(Self.source) { text in
      engine.withString("prelude".utf8) { engine.evaluate(context, text, nil, $0, 1, nil) }
    }
    let arguments = [host, tell].map { engine.makeFunction(context, nil, $0) }
    guard let function, let prelude = engine.call(context, function, nil, arguments.count, arguments, nil)
    else {
      engine.releaseContext(context)
      return nil
    }
    (self.engine, self.context, self.prelude) = (engine, context, prelude)
  }

  func release() { engine.releaseContext(context) }

  func collectGarbage() { engine.collectGarbage(context) }

  /// The outcome of an entry into the engine.
  enum Ending {
    case text([UInt8])
    /// What the script evaluates to; only the prelude may look at it.
    case value(Reference)
    case thrown(Reference)
    /// Neither a result nor an exception: memory was short.
    case nothing
  }

  /// Calls a function of the prelude with a text.
  func call(_ name: String, _ argument: [UInt8]? = nil) -> Ending {
    let value = argument.flatMap { text in engine.withString(text) { engine.valueOf(context, $0) } }
    return call(name, value: value)
  }

  /// Calls a function of the prelude with a value of the script's.
  func call(_ name: String, value: Reference?) -> Ending {
    let function = engine.withString(name.utf8) { engine.property(context, prelude, $0, nil) }
    guard let function else { return .nothing }
    let arguments = [value]
    var thrown: Reference?
    let result = engine.call(context, function, prelude, value == nil ? 0 : 1, arguments, &thrown)
    return ending(result, thrown)
  }

  /// Runs the script as a program of its own, so that what it declares is global.
  func evaluate(_ source: [UInt8]) -> Ending {
    var thrown: Reference?
    let result = engine.withString(source) { text in
      engine.withString(Self.place.utf8) { engine.evaluate(context, text, nil, $0, 1, &thrown) }
    }
    if let thrown { return .thrown(thrown) }
    // The value is not made a text here, because that could call a function of the script.
    return result.map { .value($0) } ?? .nothing
  }

  /// The prelude's report about an exception.
  func report(_ thrown: Reference) -> Ending { call("fail", value: thrown) }

  private func ending(_ result: Reference?, _ thrown: Reference?) -> Ending {
    if let thrown { return .thrown(thrown) }
    return engine.text(of: result, in: context).map { .text($0) } ?? .nothing
  }
}
