internal import Bytes
internal import Foundation
package import Logging

#if canImport(os)
  public import os
#endif

/// Writes every level through swift-log, under the label `com.sealring.ping`: to standard error, or to the back end that
/// the app bootstrapped.
///
/// Levels are `d` → debug, `i` → info, `w` → warning, `e` → error. A line is the message, followed by `, Error: ` and the
/// error's text when there is one.
// Only this module subclasses it; every stored property is immutable and Sendable, also those of the subclasses.
public class StandardLogger: Logger, @unchecked Sendable {
  private let backend: Backend

  /// A logger that writes through swift-log.
  public convenience init() {
    self.init(backend: Logging.Logger(label: "com.sealring.ping"))
  }

  #if canImport(os)
    /// A logger that writes to `log`, or through swift-log when that is `nil`.
    public init(log: OSLog?) {
      if let log {
        backend = .unified(os.Logger(log))
      } else {
        backend = .swiftLog(.everyLevel(Logging.Logger(label: "com.sealring.ping")))
      }
    }
  #endif

  /// A logger that writes through `backend`, which is made to emit debug messages too.
  package init(backend: Logging.Logger) {
    self.backend = .swiftLog(.everyLevel(backend))
  }

  public func d(_ message: String) { backend.log(.debug, message, nil) }
  public func i(_ message: String) { backend.log(.info, message, nil) }
  public func w(_ message: String, error: (any Error)?) { backend.log(.warning, message, error) }
  public func e(_ message: String, error: (any Error)?) { backend.log(.error, message, error) }
}

/// A ``StandardLogger`` that leaves out debug and info messages.
// Adds no stored property.
public class WarningLogger: StandardLogger, @unchecked Sendable {
  public override func d(_ message: String) {}
  public override func i(_ message: String) {}
}

/// A logger that writes nothing.
// Has no stored property.
public class NoneLogger: Logger, @unchecked Sendable {
  public func d(_ message: String) {}
  public func i(_ message: String) {}
  public func w(_ message: String, error: (any Error)?) {}
  public func e(_ message: String, error: (any Error)?) {}
}

/// The destination of the lines.
private enum Backend: Sendable {
  case swiftLog(Logging.Logger)
  #if canImport(os)
    case unified(os.Logger)
  #endif

  func log(_ level: Logging.Logger.Level, _ message: String, _ error: (any Error)?) {
    switch self {
    // The line is an autoclosure: it is built only if the back end logs the level.
    case .swiftLog(let logger): logger.log(level: level, "\(line(message, error))")
    #if canImport(os)
      case .unified(let logger): logger.log(level: level.unified, "\(line(message, error), privacy: .public)")
    #endif
    }
  }
}

/// One line: messages and errors may contain what a server said.
private func line(_ message: String, _ error: (any Error)?) -> String {
  (error.map { "\(message), Error: \($0.ownText)" } ?? message).onOneLine
}

extension Error {
  /// The error's own text. For an error without one, its case says more than Foundation's generic sentence. The frameworks' errors are
  /// an exception: they have a sentence for people, and their form `Error Domain=NSURLErrorDomain Code=-1004 …` is for nobody.
  package var ownText: String {
    if let text = (self as? any LocalizedError)?.errorDescription { return text }
    return self is any CustomNSError || type(of: self) == NSError.self
      ? localizedDescription : String(describing: self)
  }
}

extension Logging.Logger {
  fileprivate static func everyLevel(_ logger: Self) -> Self {
    var logger = logger
    if logger.logLevel > .debug { logger.logLevel = .debug }
    return logger
  }
}

#if canImport(os)
  extension Logging.Logger.Level {
    fileprivate var unified: OSLogType {
      switch self {
      case .trace, .debug: .debug
      case .info, .notice: .info
      case .warning: .error
      case .error, .critical: .fault
      }
    }
  }
#endif
