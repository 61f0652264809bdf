package import Foundation

extension Terminal {
  /// The answer to a question that only `y`, `yes`, `n` and `no` decide.
  package enum YesNo: Sendable, Equatable {
    case yes
    case no
    /// The input ended, a signal came, the time ran out, or the task was cancelled.
    case cancelled
    /// There is no terminal to ask on, for this reason.
    case unavailable(String)
  }

  /// Shows `question` followed by ` (y/n): `, and asks again after any other answer: a typing error decides nothing.
  ///
  /// - Parameter end: When the question expires; the time left is announced when it grows short.
  package func askYesNo(_ question: String, until end: Date? = nil) async -> YesNo {
    var text = "\(question) (y/n): "
    while true {
      switch await ask(text, echoes: true, until: end) {
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
