import ArgumentParser
import PingBinding

/// A question that only `y`, `yes`, `n` and `no` decide. Anything else, a slip of the finger, is asked again.
enum YesNoQuestion {
  enum Answer: Equatable {
    case yes, no
    /// End of input, Ctrl-C, or the time was over.
    case cancelled
    case unavailable(String)
  }

  /// - Parameter question: shown before ` (y/n): `.
  static func ask(_ question: String) async -> Answer {
    var text = "\(question) (y/n): "
    while true {
      switch await Terminal.controlling.ask(text, echoes: true) {
      case .text(let typed):
        switch typed.lowercased().filter({ !$0.isWhitespace }) {
        case "y", "yes": return .yes
        case "n", "no": return .no
        default: text = "Please answer y or n. Nothing is decided yet (y/n): "
        }
      case .cancelled: return .cancelled
      case .unavailable(let reason): return .unavailable(reason)
      }
    }
  }
}

/// `--yes` of commands that delete.
struct Confirmation: ParsableArguments {
  @Flag(help: "Do not ask whether it is meant.")
  var yes = false

  /// Goes on only when the person says so.
  func ask(_ question: String) async throws {
    guard !yes else { return }
    switch await YesNoQuestion.ask(question) {
    case .yes: return
    case .no, .cancelled: throw CommandFailure("Nothing was deleted.", code: .cancelled)
    case .unavailable(let reason):
      throw CommandFailure(
        "Nothing was deleted: nobody can be asked (\(reason)). Add --yes.", code: .cancelled)
    }
  }
}
