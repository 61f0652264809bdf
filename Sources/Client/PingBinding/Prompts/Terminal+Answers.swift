internal import Foundation
internal import PingLogger
internal import TerminalPrompts

extension Terminal {
  /// The line that the person enters; `nil` when the person cancels. Without a terminal it logs that and returns `nil`.
  ///
  /// - Parameters:
  ///   - failure: The first words of the log's message, such as "The PIN cannot be asked for".
  ///   - setting: The setting with which an app asks in its own way.
  func answer(
    to text: String, echoes: Bool, until end: Date? = nil, failure: String, setting: String
  ) async -> String? {
    switch await ask(text, echoes: echoes, until: end) {
    case .text(let answer): return answer
    case .cancelled: return nil
    case .unavailable(let reason):
      BindingModule.logger(for: nil).w("\(failure) on the terminal: \(reason). Set \(setting).", error: nil)
      return nil
    }
  }
}
