internal import Concurrency
internal import Foundation

// What the handlers below put back. They may touch nothing but such values. All else reads and writes them under HiddenEcho's lock, and
// ``heldDevice`` last, so that a handler finds them whole.
nonisolated(unsafe) private var heldDevice: Int32 = -1
/// In memory of its own: as a global value it is laid out without the bytes that C pads the structure with, and was written beyond its end.
nonisolated(unsafe) private let heldSettings = UnsafeMutablePointer<termios>.allocate(capacity: 1)
/// What to do when the program ends: `TCSAFLUSH` throws away what was typed and not read.
nonisolated(unsafe) private var heldAction: Int32 = TCSADRAIN

/// A terminal whose echo stays off between the questions of a command, from the first secret to the command's end.
///
/// A person who has not yet seen that the last PIN was wrong keeps typing: without this the input would be shown, and the shell would run
/// it as a command. The terminal is put back when the program ends, by itself or by a signal.
enum HiddenEcho {
  /// Holds whether the handlers are in place.
  private static let lock = Locked(false)
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// The settings that `device` has to get back; `nil` when they are its present ones.
  static func settings(of device: Int32) -> termios? {
    lock.withLock { _ in
      guard heldDevice >= 0, isSame(device, heldDevice) else { return nil }
      return heldSettings.pointee
    }
  }

  /// Leaves the echo off until ``release(discarding:)``, and `settings` to be put back then.
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

  /// Throws away what is typed until the program ends.
  static func discardAtEnd() {
    lock.withLock { _ in
      heldAction = TCSAFLUSH
      if heldDevice >= 0 { tcflush(heldDevice, TCIFLUSH) }
    }
  }

  /// Puts the terminal back as it was.
  static func release() {
    lock.withLock { _ in
      guard heldDevice >= 0 else { return }
      putBack()
      close(heldDevice)
      heldDevice = -1
    }
  }

  /// A program that handles the signal itself ends as it likes; nothing else would put the terminal back.
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

/// Safe in a signal handler (POSIX.1-2017 §2.4.3).
private func putBack() {
  // A program in the background would be stopped.
  guard heldDevice >= 0, tcgetpgrp(heldDevice) < 0 || tcgetpgrp(heldDevice) == getpgrp() else { return }
  tcsetattr(heldDevice, heldAction, heldSettings)
}
