import Concurrency
import Foundation
import JourneyScripts
import StrictJSON
import Testing

/// Scripts that mean harm, or are broken: each ends with a clear answer, and the next run works.
@Suite struct BadScriptsTests {
  struct Bad: CustomTestStringConvertible, Sendable {
    var name: String
    var source: String
    var reasons: Set<ScriptError.Reason>
    var says: String?
    var legacy = false

    var testDescription: String { name }
  }

  static let bad: [Bad] = [
    Bad(name: "endless loop", source: "for (;;) {}", reasons: [.time], says: "200 ms"),
    Bad(
      name: "endless loop that catches",
      source: "for (;;) { try { for (;;) {} } catch (e) {} finally { for (;;) {} } }",
      reasons: [.time]),
    Bad(
      name: "endless promises", source: "(function next() { Promise.resolve().then(next) })()",
      reasons: [.time, .memory]),
    Bad(name: "endless regular expression", source: "/(a+)+b/.exec('a'.repeat(60))", reasons: [.time]),
    Bad(
      name: "endless while the result is written",
      source: "nodeState.toJSON = 1; Array.from = () => { for (;;) {} }",
      reasons: [.time]),
    Bad(
      name: "memory without end", source: "const all = []; for (;;) all.push(new Array(100000).fill(1.5))",
      reasons: [.memory, .time, .failed]),
    Bad(
      name: "buffers without end",
      source: "const all = []; for (;;) all.push(new Uint8Array(1 << 22).fill(7))",
      reasons: [.memory, .time, .failed]),
    Bad(
      name: "recursion without end", source: "(function again() { again() })()", reasons: [.failed],
      says: "call stack"),
    Bad(name: "log without end", source: "for (;;) logger.error('again')", reasons: [.time]),
    Bad(
      name: "state without end", source: "nodeState.putShared('x', 'a'.repeat(2000000)); action.goTo('x')",
      reasons: [.output]),
    Bad(
      name: "throws", source: "let a = 1;\nthrow new Error('no way')", reasons: [.failed],
      says: "line 2: Error: no way"),
    Bad(name: "throws what has no text", source: "throw { toString() { throw 1 } }", reasons: [.failed]),
    Bad(name: "is not JavaScript", source: "let a = ;", reasons: [.failed], says: "SyntaxError"),
    Bad(
      name: "looks for a module", source: "require('fs')", reasons: [.failed],
      says: "no library script named fs"),
    Bad(name: "looks for Java", source: "Java.type('java.lang.Runtime')", reasons: [.failed], says: "Java"),
    Bad(
      name: "looks for Java's runtime", source: "java.lang.Runtime.getRuntime().exec('id')",
      reasons: [.failed],
      says: "java.lang.Runtime", legacy: true),
    Bad(name: "looks for the process", source: "process.env", reasons: [.failed], says: "process"),
    Bad(name: "imports", source: "import fs from 'fs'", reasons: [.failed], says: "SyntaxError"),
    Bad(
      name: "keeps a function", source: "nodeState.putShared('f', () => 1)", reasons: [.failed],
      says: "function"),
    Bad(
      name: "keeps itself", source: "const a = {}; a.a = a; nodeState.putShared('a', a)", reasons: [.failed]),
  ]

  @Test(arguments: bad) func `a bad script ends with a clear answer, and the next one runs`(_ bad: Bad)
    async throws
  {
    let scripts = Scripts()
    let error = try await scripts.failure(of: bad.source, legacy: bad.legacy)
    #expect(bad.reasons.contains(error.reason), "\(error.reason): \(error)")
    if let says = bad.says { #expect(error.description.contains(says)) }
    #expect(try await scripts.outcome(of: "action.goTo('next')") == "next")
  }

  @Test(arguments: [
    "Object.prototype.toJSON = () => 'evil'; action.goTo('x')",
    "JSON.stringify = () => '{\"outcome\":\"true\"}'; Array.prototype.map = null; action.goTo('x')",
    "Object.prototype.outcome = 'evil'; Object.defineProperty(globalThis, 'outcome', { get() { throw 1 } })",
  ]) func `what a script does to the built-in objects stays in its run`(_ source: String) async throws {
    let scripts = Scripts()
    // Whatever it makes of its own result, good or not.
    _ = try? await scripts.run(source)
    #expect(
      try await scripts.outcome(of: "action.goTo(JSON.stringify({a: [1].map((x) => x)}))") == #"{"a":[1]}"#)
  }

  @Test func `a promise that is never kept leaves no outcome`() async throws {
    let scripts = Scripts()
    let outcome = try await scripts.outcome(of: "new Promise(() => {}).then(() => { action.goTo('true') })")
    #expect(outcome == nil)
  }

  @Test func `a promise that is kept is in time`() async throws {
    #expect(try await Scripts().outcome(of: "Promise.resolve('a').then((a) => { action.goTo(a) })") == "a")
  }

  @Test func `while one script computes without end, others go on`() async throws {
    let scripts = Scripts(count: 2)
    let calls = Calls()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        let error = try await scripts.failure(of: "for (;;) {}")
        #expect(error.reason == .time)
      }
      for number in 0..<20 {
        group.addTask {
          let output = try await scripts.run("action.goTo('\(number)')", calls: calls)
          #expect(output.decision["outcome"]?.stringValue == "\(number)")
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `a run that only waits is ended by its wall time`() async throws {
    var limits = Scripts.limits
    limits.wallTime = .milliseconds(300)
    let scripts = Scripts(limits: limits)
    // A worker that is there already, so that its start does not count.
    while (try? await scripts.outcome(of: "action.goTo('x')")) == nil {}
    let error = await #expect(throws: ScriptError.self) {
      try await scripts.run("utils.crypto.randomUUID()", calls: NoAnswer())
    }
    #expect(error?.reason == .wallTime)
  }

  /// Never answers, until it is cancelled.
  struct NoAnswer: ScriptCalls {
    func answer(_ function: String, _ arguments: [JSONValue]) async throws -> JSONValue {
      try await Task.sleep(for: .seconds(3600))
      return .null
    }
  }

  /// Also of a script that the engine cannot interrupt, whose worker the server ends.
  @Test(
    arguments: [
      "for (;;) {}", "/(a+)+b/.exec('a'.repeat(60))", "throw new Error('no')",
      "const all = []; for (;;) all.push(new Uint8Array(1 << 22).fill(7))",
    ])
  func `what was logged before a run failed is kept`(end: String) async throws {
    let error = try await Scripts().failure(of: "logger.warn('I begin {}', 1); logger.info('on'); \(end)")
    #expect([.time, .memory, .failed].contains(error.reason))
    #expect(
      error.log == [
        ScriptLogLine(level: "warning", text: "I begin 1"), ScriptLogLine(level: "info", text: "on"),
      ])
  }

  @Test func `many lines are in their order`() async throws {
    let output = try await Scripts().run("for (let i = 0; i < 2000; i++) logger.info(i); action.goTo('x')")
    #expect(output.log.map(\.text) == (0..<2000).map { "\($0)" })
  }

  @Test func `a script that spoils how lines are written loses its own lines only`() async throws {
    let output = try await Scripts().run(
      "logger.info('a'); Object.prototype.toJSON = () => 7; logger.info('b'); delete Object.prototype.toJSON;"
        + "logger.info('c'); action.goTo('x')")
    #expect(output.log.map(\.text) == ["a", "c"])
    #expect(output.decision["outcome"]?.stringValue == "x")
  }

  @Test func `a log is cut, and says so`() async throws {
    let output = try await Scripts().run(
      "for (let i = 0; i < 3000; i++) logger.info('x'.repeat(100)); action.goTo('x')")
    #expect(output.log.count < 1000)
    #expect(output.log.last?.text == "the script logs too much; the rest is left out")
  }
}
