import Foundation
import PingBinding

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Questions and answers on the terminal. Without one, each line of standard input is an answer.
enum Console {
  /// Asks; `nil` for an empty line and at the end of input.
  static func ask(_ question: String, isSecret: Bool = false) -> String? {
    FileHandle.standardError.write(Data("\(question): ".utf8))
    let line = isSecret && isatty(STDIN_FILENO) == 1 ? withoutEcho { readLine() } : readLine()
    return line.flatMap { $0.isEmpty ? nil : $0 }
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

/// Asks for PINs with the texts that the server's journey has.
final class ConsolePIN: PinCollector, Sendable {
  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
    let title = prompt.title.isEmpty ? "PIN" : prompt.title
    completion(
      Console.ask(
        prompt.description.isEmpty ? title : "\(title). \(prompt.description). PIN", isSecret: true))
  }
}
