@_exported public import PingLoggerPresets

/// Receives the client modules' log messages. Apps may conform their own struct, class or actor to it.
///
/// Implementations are called from any thread and must not block. Messages never contain secrets.
public protocol Logger: Sendable {
  /// Details for debugging.
  func d(_ message: String)

  /// Something expected happened.
  func i(_ message: String)

  /// Something unexpected happened, and the operation continues.
  func w(_ message: String, error: (any Error)?)

  /// The operation failed.
  func e(_ message: String, error: (any Error)?)
}

extension Logger {
  /// Something unexpected happened, and there is no error to report.
  public func w(_ message: String) { w(message, error: nil) }

  /// The operation failed, and there is no error to report.
  public func e(_ message: String) { e(message, error: nil) }
}

extension LoggerPresets {
  /// A logger that writes every level; see ``StandardLogger``.
  public var standard: any PingLogger.Logger { LogManager.standard }

  /// A logger that writes warnings and errors; see ``WarningLogger``.
  public var warning: any PingLogger.Logger { LogManager.warning }

  /// A logger that writes nothing; see ``NoneLogger``.
  public var none: any PingLogger.Logger { LogManager.none }

  /// The logger of modules without one of their own; see ``LogManager/logger``.
  public var logger: any PingLogger.Logger { LogManager.logger }
}
