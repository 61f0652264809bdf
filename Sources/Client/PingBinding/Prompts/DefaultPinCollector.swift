public import Foundation
internal import PingLogger

/// Asks for the PIN on the program's terminal; what is entered is not shown.
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

  public func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
    Task { completion(await collectPin(prompt: prompt)) }
  }

  public func collectPin(prompt: Prompt) async -> String? {
    let wrong = prompt.triesLeft.map { "That PIN is wrong. Tries left: \($0)\n" } ?? ""
    let text = wrong + prompt.lines(title: "Enter PIN", description: "") + "PIN: "
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
