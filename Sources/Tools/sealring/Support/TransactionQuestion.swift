import Concurrency
import Foundation
import PingBinding
import SigningTransactions
import StrictJSON
import TerminalPrompts

/// Shows the transaction or text to sign, and asks for approval: on the terminal, or by --yes or --text.
struct TransactionQuestion: Sendable {
  /// The reason why nothing was approved.
  enum End: Sendable {
    case refused
    case expired
    case cancelled
    /// The text differs from the one of --text.
    case otherText(String)
    /// The text could not be shown, because there was no terminal for this reason.
    case unasked(String)
  }

  /// The source of the context beside a transaction, and a warning about it.
  struct Source: Sendable {
    fileprivate let name: String
    let warning: String

    static let server = Source(name: "The server", warning: "")
    /// A link, which any web page can create.
    static let link = Source(
      name: "The link",
      warning: "Say no if you did not just press \"Open Sealring\" on a page of that server.\n")
  }

  let server: ServerOptions

  /// The owner of the key, if known beforehand.
  let account: String?

  /// Whether the user has approved the transaction beforehand.
  var isAnswered = false

  /// The text that the user wants to sign.
  var text: String?

  /// Whether no other text may be signed, even if the user agrees to it.
  var isTextOnly = false

  var source = Source.server

  private let state = Locked<End?>(nil)

  /// The time after which an answer is too late.
  private let deadline = Locked<Date?>(nil)

  /// The reason; `nil` when it was approved or not asked.
  var end: End? { state.withLock { $0 } }

  /// Shows the transaction, and returns whether it is approved. One that cannot be shown is refused.
  func ask(_ transaction: Transaction, _ context: TransactionContext?) async -> Bool {
    deadline.withLock { $0 = context?.expiresAt }
    let lines =
      TerminalText.statement(transaction.lines) + (context?.lines(now: Date(), from: source.name) ?? "")
    guard !isAnswered else {
      Output.remark("Approved by --yes:\n\(lines.dropLast())")
      return true
    }
    return await ask("You are asked to approve:\n\(lines)", "Approve", until: context?.expiresAt)
  }

  /// Shows a text, and returns whether it is approved. The text of --text is approved without asking.
  func ask(text asked: String) async -> Bool {
    if let text {
      if text.hasSameBytes(as: asked) {
        Output.raw("Signing the text of --text:\n" + ServerWords.marked(asked))
        return true
      }
      if isTextOnly {
        state.withLock { $0 = .otherText(asked) }
        return false
      }
    }
    return await ask("You are asked to sign this text:\n" + ServerWords.marked(asked), "Sign it", until: nil)
  }

  /// The device's own facts about the requester.
  var place: String {
    TerminalText.rows([
      ("Server", TerminalText.address(server.baseAddress)), ("Realm", server.realm),
      ("Account", account ?? ""),
    ])
  }

  /// - Parameters:
  ///   - said: Lines above the device's own facts.
  ///   - question: The last line.
  private func ask(_ said: String, _ question: String, until end: Date?) async -> Bool {
    switch await Terminal.controlling.askYesNo("\(said)\(place)\(source.warning)\(question)", until: end) {
    case .yes: return true
    case .no: state.withLock { $0 = .refused }
    case .cancelled:
      let isOver = end.map { $0 <= Date() } ?? false
      state.withLock { $0 = isOver ? .expired : .cancelled }
    case .unavailable(let reason):
      if question == "Sign it" { state.withLock { $0 = .unasked(reason) } }
    }
    return false
  }

  /// The failure for a question that was not approved; `other` if it was.
  func failure(or other: CommandFailure) -> CommandFailure {
    let isOver = other.code == .expired && deadline.withLock { $0.map { $0 <= Date() } ?? false }
    return switch end ?? (isOver ? .expired : nil) {
    case .refused:
      CommandFailure.cancelled(
        "Refused: nothing was signed. If that was a slip, the application has to make a new transaction.")
    case .cancelled: .cancelled(because: "it was not approved")
    case .expired: .transactionExpired
    case .otherText(let asked):
      CommandFailure.forbidden(
        "The server asks to sign another text than that of --text; nothing was signed. Its text: \(printable(asked))"
      )
    case .unasked(let reason):
      .nobodyToAsk(
        "The server asks to sign a text", reason,
        "Nothing was signed. `sealring sign --text` signs the very text that it is given, and no other.")
    case nil: other
    }
  }
}
