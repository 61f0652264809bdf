internal import Concurrency

/// The process's logger, and the loggers to choose from. Apps extend it with static loggers of their own.
public actor LogManager {
  private static let current = Locked<any Logger>(NoneLogger())

  /// The logger of modules without one of their own; writes nothing until it is set.
  ///
  /// May be read and set from any thread.
  public static var logger: any Logger {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}

extension LogManager {
  /// A new logger that writes nothing.
  public static var none: any Logger { NoneLogger() }

  /// A new logger that writes every level.
  public static var standard: any Logger { StandardLogger() }

  /// A new logger that writes warnings and errors.
  public static var warning: any Logger { WarningLogger() }
}
