import Foundation
import PingPush
import TerminalPrompts

/// Shows a request on the terminal and asks for the answer.
extension PushRequest {
  /// Returns the answer; `nil` when the person leaves the request open, which it reports.
  /// - Parameter isRepeated: Whether the request is already on the screen.
  func ask(isRepeated: Bool = false) async throws -> PushDecision? {
    var text = (isRepeated ? "" : screen) + prompt
    let end = notification.expiresAt
    while true {
      switch await Terminal.controlling.ask(text, echoes: true, until: end) {
      case .text(let typed):
        if let decision = decision(for: typed.trimmingCharacters(in: .whitespaces)) {
          return decision
        }
        text = "That is not an answer to this request, and nothing is decided yet.\n" + prompt
      case .cancelled:
        Output.remark(
          end <= Date()
            ? "This request has expired."
            : "Left open; `sealring push list` shows it until it expires.")
        return nil
      case .unavailable(let reason):
        throw CommandFailure.nobodyToAsk(
          "The request waits for an answer", reason,
          "Use --json, --approve or --deny, or run this on a terminal.")
      }
    }
  }

  private var prompt: String {
    switch question {
    case .tap: "Approve (y, or n and why): "
    case .person: "Approve with your fingerprint or password (y, or n and why): "
    case .number(let numbers):
      "The number on the sign-in page (\(numbers.map(String.init).joined(separator: ", "))), or n and why: "
    case .code(let length): "The code of \(length) digits on the sign-in page, or n and why: "
    }
  }

  private func decision(for answer: String) -> PushDecision? {
    let words = answer.split(separator: " ", maxSplits: 1).map(String.init)
    let first = words.first?.lowercased() ?? ""
    if ["n", "no"].contains(first) { return .deny(reason: words.count > 1 ? words[1] : nil) }
    let isYes = ["y", "yes"].contains(answer.lowercased())
    switch question {
    case .tap, .person: return isYes ? .approve(nil) : nil
    case .number(let numbers): return Int(answer).flatMap { numbers.contains($0) ? .approve(answer) : nil }
    case .code(let length):
      return answer.count == length && answer.allSatisfy { $0.isASCII && $0.isNumber }
        ? .approve(answer) : nil
    }
  }

  /// The request on the screen: first the text of others, marked as such, then, next to the question, this device's own facts.
  private var screen: String {
    let left = TerminalText.duration(notification.expiresAt.timeIntervalSince(Date()))
    let place = credential?.place
    let known = TerminalText.rows([
      ("Server", place.map { TerminalText.address($0.server) } ?? ""), ("Realm", place?.realm ?? ""),
      ("Account", account), ("Time", "\(left) left to answer"),
    ])
    let claims = TerminalText.quoted(
      context.prefix(8).map { TerminalText.line("\($0.name) \($0.value)", columns: 72) })
    return "A sign-in asks for approval.\n"
      + (notification.messageText.map { "The message says:\n" + TerminalText.quoted([$0]) } ?? "")
      + (claims.isEmpty ? "" : "It claims that the sign-in comes\n" + claims) + known
  }
}
