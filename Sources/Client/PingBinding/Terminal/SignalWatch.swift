internal import Foundation

/// The end of a pipe that the handler writes to. A signal handler may touch nothing but such a number; the one question
/// that is asked at a time sets it before the handler is in place and clears it afterwards.
nonisolated(unsafe) private var handlerPipe: Int32 = -1

/// Holds back the signals that would end or stop the program while the terminal is not as it was.
///
/// One at a time per process: questions on the terminal are asked one after the other.
struct SignalWatch {
  struct Unavailable: Error {}

  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

  /// Becomes readable when a signal has come.
  let descriptor: Int32
  private let writeEnd: Int32
  private let previous: [sigaction]

  /// Starts to hold signals back. Call ``finish()`` when the terminal is in order again.
  init() throws(Unavailable) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Unavailable() }
    (descriptor, writeEnd) = (ends[0], ends[1])
    // Never let the handler wait, however many signals come.
    _ = fcntl(writeEnd, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    handlerPipe = writeEnd
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

  /// Stops holding signals back, and returns the first that came.
  func finish() -> Int32? {
    for (signal, before) in zip(Self.signals, previous) {
      var before = before
      sigaction(signal, &before, nil)
    }
    handlerPipe = -1
    var first: UInt8 = 0
    let count = read(descriptor, &first, 1)
    close(descriptor)
    close(writeEnd)
    return count == 1 ? Int32(first) : nil
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
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #else
      let handler = action.__sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
