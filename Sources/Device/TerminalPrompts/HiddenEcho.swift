internal import Concurrency
internal import Foundation

// The values that the handlers below put back. Handlers may use only such values. All other code reads and writes them under HiddenEcho's
// lock, and writes ``heldDevice`` last, so that a handler finds them complete.
nonisolated(unsafe) private var heldDevice: Int32 = -1
/// Allocated separately: as a global value it was laid out without C's padding, and writing to it went beyond its end.
nonisolated(unsafe) private let heldSettings = UnsafeMutablePointer<termios>.allocate(capacity: 1)
/// The action of `tcsetattr` at the program's end: `TCSAFLUSH` throws away unread input.
nonisolated(unsafe) private var heldAction: Int32 = TCSADRAIN

/// A terminal whose echo stays off between the questions of a command, from the first secret to the command's end.
///
/// A person who has not yet seen that the last PIN was wrong keeps typing. Without this, the terminal would show the input and the shell
/// would run it as a command. The terminal is restored when the program ends, by itself or by a signal.
enum HiddenEcho {
  /// Holds whether the handlers are in place.
  private static let lock = Locked(false)
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// The settings to restore on `device`; `nil` when they are its current ones.
  static func settings(of device: Int32) -> termios? {
    lock.withLock { _ in
      guard heldDevice >= 0, isSame(device, heldDevice) else { return nil }
      return heldSettings.pointee
    }
  }

  /// Keeps the echo off until ``release()``, which restores `settings`.
  static func hold(_ device: Int32, settings: termios) {
    lock.withLock { isPrepared in
      guard heldDevice < 0 else { return }
      let copy = fcntl(device, F_DUPFD_CLOEXEC, 0)
      guard copy >= 0 else { return }
      heldSettings.initialize(to: settings)
      heldAction = TCSADRAIN
      heldDevice = copy
      guard !isPrepared else { return }
      isPrepared = true
      atexit { putBack() }
      for signal in signals { watch(signal) }
    }
  }

  /// Throws away input until the program ends.
  static func discardAtEnd() {
    lock.withLock { _ in
      heldAction = TCSAFLUSH
      if heldDevice >= 0 { tcflush(heldDevice, TCIFLUSH) }
    }
  }

  /// Restores the terminal.
  static func release() {
    lock.withLock { _ in
      guard heldDevice >= 0 else { return }
      putBack()
      close(heldDevice)
      heldDevice = -1
    }
  }

  /// Restores the terminal on `signal`, unless the program handles the signal itself: then it ends in its own way.
  private static func watch(_ signal: Int32) {
    var before = sigaction()
    sigaction(signal, nil, &before)
    guard SignalWatch.isDefault(before) else { return }
    Foundation.signal(signal) { signal in
      putBack()
      Foundation.signal(signal, SIG_DFL)
      raise(signal)
    }
  }

  private static func isSame(_ one: Int32, _ other: Int32) -> Bool {
    var (first, second) = (stat(), stat())
    return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_rdev == second.st_rdev
  }
}

/// Restores the terminal's settings. Safe in a signal handler (POSIX.1-2017 §2.4.3).
private func putBack() {
  // A program in the background would be stopped.
  guard heldDevice >= 0, tcgetpgrp(heldDevice) < 0 || tcgetpgrp(heldDevice) == getpgrp() else { return }
  tcsetattr(heldDevice, heldAction, heldSettings)
}
