internal import DeviceKeys
package import Foundation
package import TerminalPrompts

/// Asks on the terminal that the agent runs on.
package struct TerminalPersonPrompt: PersonPrompt {
  /// The least number of lines that a terminal is assumed to show, however small its window is.
  static let fewestRows = 24

  private let terminal: Terminal

  package init(_ terminal: Terminal) { self.terminal = terminal }

  package func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
    let shown = "\n\(question.heading)\n\(question.details)"
    // Lines that have scrolled out of sight could decide the answer.
    guard shown.count(where: \.isNewline) < max(terminal.size?.rows ?? 0, Self.fewestRows) else {
      return .nobody("the question has more lines than the terminal")
    }
    guard question.needsPIN else {
      return switch await terminal.askYesNo(shown + question.action, until: end) {
      case .yes: .yes
      case .no, .cancelled: .no
      case .unavailable(let reason): .nobody(reason)
      }
    }
    return switch await terminal.ask(shown + "PIN (Return alone refuses): ", echoes: false, until: end) {
    case .text(let typed): typed.isEmpty ? .no : .pin(PIN(typed))
    case .cancelled: .no
    case .unavailable(let reason): .nobody(reason)
    }
  }
}
