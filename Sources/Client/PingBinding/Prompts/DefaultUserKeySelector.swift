internal import Bytes

#if !canImport(UIKit)
  internal import Foundation
  internal import TerminalPrompts
  internal import TerminalText

  /// Lets the person choose a key by its number on the program's terminal.
  ///
  /// An empty line and the end of input (Ctrl-D) cancel. Without a terminal it cancels and logs that, and never chooses by
  /// itself; set ``DeviceBindingConfig/userKeySelector`` then.
  // Has no mutable state.
  public class DefaultUserKeySelector: UserKeySelector, @unchecked Sendable {
    private let terminal: Terminal

    public convenience init() { self.init(terminal: .controlling) }

    init(terminal: Terminal) { self.terminal = terminal }

    public var showsTransactions: Bool { true }

    public func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey? {
      guard !userKeys.isEmpty else { return nil }
      var text = prompt.lines("Select Device Key")
      for (index, key) in userKeys.enumerated() {
        text += "  \(index + 1)) \(key.label.onOneLine)\n"
      }
      text += "Key (1-\(userKeys.count)): "
      while let line = await terminal.answer(
        to: text, echoes: true, until: prompt.end, failure: "The key cannot be chosen",
        setting: "config.userKeySelector")
      {
        let entered = line.trimmingCharacters(in: .whitespaces)
        if entered.isEmpty { return nil }
        if let number = Int(entered), (1...userKeys.count).contains(number) { return userKeys[number - 1] }
        text = "Enter a number from 1 to \(userKeys.count), or nothing to cancel: "
      }
      return nil
    }
  }
#endif
