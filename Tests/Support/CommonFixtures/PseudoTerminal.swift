internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A terminal whose other end is the test's.
package final class PseudoTerminal: Sendable {
  private let keyboard: Int32
  /// The device file that a program opens.
  package let path: String

  package init?() {
    #if canImport(Darwin)
      keyboard = posix_openpt(O_RDWR | O_NOCTTY)
      guard keyboard >= 0, grantpt(keyboard) == 0, unlockpt(keyboard) == 0, let name = ptsname(keyboard)
      else {
        return nil
      }
      path = String(cString: name)
    #else
      // What the functions above do; the C library's module does not export them.
      keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var (locked, number): (Int32, Int32) = (0, 0)
      // TIOCSPTLCK and TIOCGPTN.
      let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
      guard keyboard >= 0, ioctl(keyboard, setLock, &locked) == 0, ioctl(keyboard, getNumber, &number) == 0
      else {
        return nil
      }
      path = "/dev/pts/\(number)"
    #endif
  }

  deinit { close(keyboard) }

  package func resize(columns: UInt16, rows: UInt16) {
    var window = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(keyboard, UInt(TIOCSWINSZ), &window)
  }

  /// Keeps the line up between two questions, as a shell does, until the descriptor is closed.
  package func hold() -> Int32 { open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) }

  package var echoes: Bool {
    var attributes = termios()
    return tcgetattr(keyboard, &attributes) == 0 && attributes.c_lflag & tcflag_t(ECHO) != 0
  }

  package func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(keyboard, bytes, bytes.count)
  }

  /// What is shown, up to and with `end`, or until no program has the terminal open.
  package func read(until end: String) async -> String {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [keyboard] in
        var shown: [UInt8] = []
        var byte: UInt8 = 0
        while !String(decoding: shown, as: UTF8.self).hasSuffix(end), Foundation.read(keyboard, &byte, 1) == 1
        {
          shown.append(byte)
        }
        continuation.resume(returning: String(decoding: shown, as: UTF8.self))
      }
    }
  }
}
