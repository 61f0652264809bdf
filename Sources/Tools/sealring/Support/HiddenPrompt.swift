import TerminalPrompts

/// Asks for a secret on the terminal without echo.
enum HiddenPrompt {
  /// What was typed; `nil` when nothing was.
  static func ask(_ question: String) async throws -> String? {
    switch await Terminal.controlling.ask(question, echoes: false) {
    case .text(let text): return text.isEmpty ? nil : text
    case .cancelled: return nil
    case .unavailable(let reason):
      throw CommandFailure(
        "A secret is needed, and nobody can be asked: \(reason). Pass it with --password-stdin or --pin-stdin.",
        code: .unsupported)
    }
  }
}
