import Concurrency
import Foundation
import Logging
import PingLogger
import Testing

private struct Line: Equatable {
  var level: Logging.Logger.Level
  var text: String
}

/// Keeps what it is told.
private struct Recorder: LogHandler {
  let lines: Locked<[Line]>
  var metadata: Logging.Logger.Metadata = [:]
  var logLevel: Logging.Logger.Level = .info

  subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let line = Line(level: event.level, text: event.message.description)
    lines.withLock { $0.append(line) }
  }
}

/// A back end whose level the process's owner has fixed.
private struct ErrorsOnly: LogHandler {
  var metadata: Logging.Logger.Metadata = [:]
  var logLevel: Logging.Logger.Level {
    get { .error }
    set {}
  }

  subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {}
}

/// An error that counts how often its text is asked for.
private final class CountingError: LocalizedError {
  let count = Locked(0)
  var errorDescription: String? {
    count.withLock { $0 += 1 }
    return "counted"
  }
}

private enum Refusal: Error { case tooLate(seconds: Int) }

@Suite("What the loggers write")
struct LoggerOutputTests {
  private let lines = Locked<[Line]>([])
  private var backend: Logging.Logger {
    Logging.Logger(label: "test") { [lines] _ in Recorder(lines: lines) }
  }

  private func sayEverything(to logger: any PingLogger.Logger) -> [Line] {
    logger.d("debug")
    logger.i("info")
    logger.w("warning", error: nil)
    logger.w("warning with error", error: CountingError())
    logger.e("error")
    logger.e("error with error", error: Refusal.tooLate(seconds: 3))
    return lines.withLock { $0 }
  }

  @Test func `standard logger writes every level even when the back end starts at info`() {
    #expect(
      sayEverything(to: StandardLogger(backend: backend)) == [
        Line(level: .debug, text: "debug"),
        Line(level: .info, text: "info"),
        Line(level: .warning, text: "warning"),
        Line(level: .warning, text: "warning with error, Error: counted"),
        Line(level: .error, text: "error"),
        Line(level: .error, text: "error with error, Error: tooLate(seconds: 3)"),
      ])
  }

  @Test func `warning logger writes warnings and errors`() {
    #expect(
      sayEverything(to: WarningLogger(backend: backend)).map(\.level) == [.warning, .warning, .error, .error])
  }

  @Test func `what a server says in a message makes no other line, and controls no terminal`() {
    struct Refused: LocalizedError { var errorDescription: String? { "no\r\nerror: all keys deleted" } }
    let logger = StandardLogger(backend: backend)
    logger.w("No class for 'x\u{1B}]0;title\u{7}\u{1B}[2J\n2025-11-29 info: signed\u{202E}'", error: nil)
    logger.e("Refused", error: Refused())
    #expect(
      lines.withLock { $0 }.map(\.text) == [
        "No class for 'x ]0;title [2J 2025-11-29 info: signed'",
        "Refused, Error: no error: all keys deleted",
      ])
  }

  @Test func `nothing is formatted for a back end that is not interested`() {
    let error = CountingError()
    let backend = Logging.Logger(label: "test") { _ in ErrorsOnly() }
    StandardLogger(backend: backend).w("warning", error: error)
    #expect(error.count.withLock { $0 } == 0)
    StandardLogger(backend: backend).e("error", error: error)
    #expect(error.count.withLock { $0 } == 1)
  }

  @Test func `none logger asks the error for nothing`() {
    let error = CountingError()
    LogManager.none.w("warning", error: error)
    LogManager.none.e("error", error: error)
    #expect(error.count.withLock { $0 } == 0)
  }
}

@Suite("The process's logger", .serialized)
struct LogManagerTests {
  // Weak point elsewhere: the global logger was an unsynchronised static. Thread sanitizer runs see this test.
  @Test func `logger is read and set from many tasks`() async {
    let before = LogManager.logger
    defer { LogManager.logger = before }
    #expect(before is NoneLogger)
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<64 {
        group.addTask {
          if index.isMultiple(of: 2) { LogManager.logger = WarningLogger() }
          LogManager.logger.d("read")
        }
      }
    }
    #expect(LogManager.logger is WarningLogger)
  }

  @Test func `every access makes a new instance`() {
    let standard = [LogManager.standard, LogManager.standard].map { ObjectIdentifier($0 as AnyObject) }
    #expect(standard[0] != standard[1])
    let none = [LogManager.none, LogManager.none].map { ObjectIdentifier($0 as AnyObject) }
    #expect(none[0] != none[1])
  }
}
