import PingLogger
import Testing

// This file imports what an app imports: every line has to compile without `Logging` and without qualified names.

/// A logger written as a struct.
private struct StructLogger: Logger {
  func d(_ message: String) {}
  func i(_ message: String) {}
  func w(_ message: String, error: (any Error)?) {}
  func e(_ message: String, error: (any Error)?) {}
}

/// A logger written as a class.
private final class ClassLogger: Logger {
  func d(_ message: String) {}
  func i(_ message: String) {}
  func w(_ message: String, error: (any Error)?) {}
  func e(_ message: String, error: (any Error)?) {}
}

extension LogManager {
  fileprivate static var custom: any Logger { StructLogger() }
}

private func migrate(logger: (any Logger)? = nil) -> any Logger { logger ?? Logger.none }

private final class Configuration {
  var logger: any Logger = Logger.warning
}

@Suite("Logger as apps write it")
struct LoggerNamesTests {
  @Test func `presets are reached through the protocol's name`() {
    #expect(Logger.standard is StandardLogger)
    #expect(Logger.warning is WarningLogger)
    #expect(Logger.none is NoneLogger)
    #expect(migrate(logger: Logger.standard) is StandardLogger)
    #expect(migrate(logger: LogManager.warning) is WarningLogger)
    #expect(migrate() is NoneLogger)
  }

  @Test func `custom loggers go where presets go`() {
    #expect(migrate(logger: StructLogger()) is StructLogger)
    #expect(migrate(logger: ClassLogger()) is ClassLogger)
    #expect(migrate(logger: LogManager.custom) is StructLogger)
    let configuration = Configuration()
    #expect(configuration.logger is WarningLogger)
    configuration.logger = ClassLogger()
    #expect(configuration.logger is ClassLogger)
  }

  @Test func `standard loggers are made without arguments`() {
    #expect(type(of: LogManager.standard) == type(of: StandardLogger() as any Logger))
    #expect(type(of: LogManager.warning) == type(of: WarningLogger() as any Logger))
  }
}
