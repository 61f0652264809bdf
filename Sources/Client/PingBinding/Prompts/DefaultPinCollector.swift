#if !canImport(UIKit)
  public import Foundation
  internal import DeviceKeys
  internal import PingLogger
  internal import TerminalText

  /// Asks for the PIN on the program's terminal; what is entered is not shown. A new PIN is entered twice.
  ///
  /// An empty line and the end of input (Ctrl-D) cancel. Without a terminal it cancels and says so in the log: set
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
        let wrong = prompt.triesLeft.map { "That PIN is wrong. Tries left: \($0)\n" } ?? ""
        return await ask(wrong + prompt.lines(title: "Enter PIN", description: "") + "PIN: ")
      }
      var text = prompt.problem.map { $0.forTerminal + "\n" } ?? ""
      text += prompt.lines(title: "Choose a PIN", description: "")
      while let pin = await ask(text + "New PIN: ") {
        guard let repeated = await ask("The same PIN again: ") else { return nil }
        if PIN(repeated) == PIN(pin) { return pin }
        text = AppPinAuthenticator.differingPINs + "\n"
      }
      return nil
    }

    private func ask(_ text: String) async -> String? {
      switch await terminal.ask(text, echoes: false) {
      case .text(let pin):
        return pin.isEmpty ? nil : pin
      case .cancelled:
        return nil
      case .unavailable(let reason):
        BindingModule.logger(for: nil).w(
          "The PIN cannot be asked for on the terminal: \(reason). Set config.pinCollector.", error: nil)
        return nil
      }
    }
  }
#endif
