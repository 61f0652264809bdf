import PingBinding

/// Asks for a secret on the terminal without echo.
enum HiddenPrompt {
  /// What was typed; `nil` when nothing was, or when there is no terminal.
  static func ask(_ question: String) async throws -> String? {
    try await Terminal.controlling.readHidden(question)
  }
}
