import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Questions and answers on the terminal. Without one, each line of standard input is an answer.
enum Console {
  /// Whether somebody can watch a line change.
  static var isLive: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Asks; `nil` for an empty line and at the end of input.
  static func ask(_ question: String, isSecret: Bool = false) -> String? {
    say("\(question): ", end: "")
    let line = isSecret && isatty(STDIN_FILENO) == 1 ? withoutEcho { readLine() } : readLine()
    return line.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Says something to the person; standard output is for results.
  static func say(_ text: String, end: String = "\n") {
    FileHandle.standardError.write(Data("\(shown(text))\(end)".utf8))
  }

  /// `text` without control characters other than line ends: a server's words must not move the cursor.
  static func shown(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { $0 == "\n" || $0.properties.generalCategory != .control }))
  }

  private static func withoutEcho(_ body: () -> String?) -> String? {
    var saved = termios()
    guard tcgetattr(STDIN_FILENO, &saved) == 0 else { return nil }
    var silent = saved
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
      FileHandle.standardError.write(Data("\n".utf8))
    }
    return body()
  }
}
