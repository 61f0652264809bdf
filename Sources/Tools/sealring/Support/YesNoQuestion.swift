import ArgumentParser
import Foundation
import TerminalPrompts

/// A question that only `y`, `yes`, `n` and `no` decide. Anything else, a slip of the finger, is asked again.
enum YesNoQuestion {
  typealias Answer = Terminal.YesNo

  /// - Parameters:
  ///   - question: shown before ` (y/n): `.
  ///   - end: when it is too late.
  static func ask(_ question: String, until end: Date? = nil) async -> Answer {
    await Terminal.controlling.askYesNo(question, until: end)
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
