internal import Bytes
package import DeviceKeys
internal import TerminalPrompts
internal import TerminalText

#if !canImport(UIKit)
  public import Foundation

  /// Asks for the PIN on the program's terminal, without echo. A new PIN is entered twice.
  ///
  /// An empty line and the end of input (Ctrl-D) cancel. Without a terminal it cancels and logs that; set
  /// ``DeviceBindingConfig/pinCollector`` then.
  // Has no mutable state.
  public class DefaultPinCollector: NSObject, CancellablePinCollector, @unchecked Sendable {
    private let terminal: Terminal

    public override convenience init() { self.init(terminal: .controlling) }

    init(terminal: Terminal) {
      self.terminal = terminal
      super.init()
    }

    public var showsTransactions: Bool { true }

    public func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
      Task { completion(await collectPin(prompt: prompt)) }
    }

    public func collectPin(prompt: Prompt) async -> String? {
      guard prompt.isNewPIN else {
        // The prompt itself is still on the screen.
        return await ask((prompt.wrongPIN ?? prompt.lines("Enter PIN")) + "PIN: ", prompt)
      }
      var text = prompt.problem.map { $0.onOneLine + "\n" } ?? prompt.lines("Choose a PIN")
      text += prompt.rule.map { $0.onOneLine + "\n" } ?? ""
      while let pin = await ask(text + "New PIN: ", prompt) {
        if let problem = prompt.policy?.violation(of: PIN(pin)) {
          text = problem.localizedDescription.onOneLine + "\n"
          continue
        }
        guard let repeated = await ask("The same PIN again: ", prompt) else { return nil }
        if PIN(repeated) == PIN(pin) { return pin }
        text = AppPinAuthenticator.differingPINs + "\n"
      }
      return nil
    }

    private func ask(_ text: String, _ prompt: Prompt) async -> String? {
      await terminal.answer(
        to: text, echoes: false, until: prompt.end, failure: "The PIN cannot be asked for",
        setting: "config.pinCollector"
      ).flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  extension Prompt {
    /// The message after a wrong PIN; `nil` when none was entered.
    fileprivate var wrongPIN: String? {
      guard let triesLeft else { return nil }
      return "That PIN is wrong. \(keyTries?.sentence ?? "Tries left: \(triesLeft).")\n"
    }
  }
#endif

extension PINTries {
  /// `try` or `tries`.
  package static func noun(_ count: Int) -> String { count == 1 ? "try" : "tries" }

  /// The tries left, as a sentence for the person.
  package var sentence: String {
    if isOfToken {
      switch left {
      case 0: return "The token's PIN is locked: unlock it with the tool of its maker."
      case 1: return "1 try left before the token locks its PIN."
      default: return "A wrong PIN was entered; the token locks its PIN after a few."
      }
    }
    if left == 0, isOfChip {
      let time = wait > 0 ? "for \(TerminalText.duration(wait)) at most, or " : ""
      return
        "The security chip accepts no PIN \(time)until its owner clears the lock (tpm2_dictionarylockout -c): too many were wrong."
    }
    guard left > 0 else { return "This key is disabled: bind the device again." }
    let end = isOfChip ? "the security chip refuses all PINs for a while" : "this key is disabled"
    let next = wait > 0 ? "; next try in \(TerminalText.duration(wait))" : ""
    return "\(left) \(Self.noun(left)) left before \(end)\(next)."
  }
}
