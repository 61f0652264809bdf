package import Foundation

extension Terminal {
  /// What a person said to a question that only `y`, `yes`, `n` and `no` decide.
  package enum YesNo: Sendable, Equatable {
    case yes
    case no
    /// End of input, a signal, the time was over, or the task was cancelled.
    case cancelled
    /// There is no terminal to ask on, for this reason.
    case unavailable(String)
  }

  /// Shows `question` with ` (y/n): ` behind it, and asks again after anything but these answers: a slip of the finger decides nothing.
  ///
  /// - Parameter end: When the question is over; said when the time grows short.
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
