internal import Foundation

/// The pipe that the signal handler writes to. A handler may use only such a number, which is set before the first handler is installed and
/// never changes afterwards.
nonisolated(unsafe) private var handlerPipe: Int32 = -1

/// Holds back the signals that would end or stop the program while the terminal's settings are changed.
///
/// One at a time per process: questions on the terminal are asked one after the other.
struct SignalWatch {
  struct Unavailable: Error {}

  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
  /// Stays open as long as the program runs: a handler may still be running in another thread.
  private static let pipe = WakeUpPipe()

  private let pipe: WakeUpPipe
  private let previous: [sigaction]

  /// Becomes readable when a signal has arrived.
  var descriptor: Int32 { pipe.readEnd }

  /// Starts to hold signals back. Call ``finish()`` when the terminal is restored.
  init() throws(Unavailable) {
    guard let pipe = Self.pipe else { throw Unavailable() }
    self.pipe = pipe
    _ = pipe.drain()
    handlerPipe = pipe.writeEnd
    previous = Self.signals.map { signal in
      var before = sigaction()
      sigaction(signal, nil, &before)
      // A signal that the program ignores stays ignored.
      guard !Self.isIgnored(before) else { return before }
      var during = sigaction()
      Self.setHandler(&during)
      sigaction(signal, &during, &before)
      return before
    }
  }

  /// Stops holding signals back, and returns the first one that arrived.
  func finish() -> Int32? {
    for (signal, before) in zip(Self.signals, previous) {
      var before = before
      sigaction(signal, &before, nil)
    }
    return pipe.drain().map { Int32($0) }
  }

  private static func setHandler(_ action: inout sigaction) {
    let handler: @convention(c) (Int32) -> Void = { signal in
      let error = errno
      var byte = UInt8(truncatingIfNeeded: signal)
      _ = write(handlerPipe, &byte, 1)
      errno = error
    }
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
    action.sa_flags = SA_RESTART
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    handler(of: action) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Whether the signal has its default action.
  static func isDefault(_ action: sigaction) -> Bool {
    handler(of: action) == unsafeBitCast(SIG_DFL, to: Int.self)
  }

  private static func handler(of action: sigaction) -> Int {
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #else
      let handler = action.__sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self)
  }
}
