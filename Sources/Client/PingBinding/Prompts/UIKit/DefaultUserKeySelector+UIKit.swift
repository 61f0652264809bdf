#if canImport(UIKit)
  internal import Concurrency
  internal import UIKit

  /// Lets the person choose a key in an action sheet.
  ///
  /// A cancelled task removes the sheet. Without a window it cancels and logs that, and never chooses by itself; set
  /// ``DeviceBindingConfig/userKeySelector`` then.
  // Has no stored property.
  public class DefaultUserKeySelector: UserKeySelector, @unchecked Sendable {
    public init() {}

    public var showsTransactions: Bool { true }

    public func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey? {
      await AlertPrompt.ask(setting: "config.userKeySelector") { answer in
        Self.sheet(userKeys, prompt, answer)
      }
    }

    @MainActor
    private static func sheet(
      _ keys: [UserKey], _ prompt: Prompt, _ answer: FirstAnswer<UserKey?>
    ) -> UIAlertController {
      let message = [prompt.subtitle, prompt.description].filter { !$0.isEmpty }.joined(separator: "\n")
      let sheet = UIAlertController(
        title: prompt.title.isEmpty ? "Select Device Key" : prompt.title,
        message: message.isEmpty
          ? "Multiple device keys are available. Please select one to continue." : message,
        preferredStyle: .actionSheet)
      let names = keys.map(\.name)
      for (key, name) in zip(keys, names) {
        // Keys of one user differ in how they are unlocked and when they were bound.
        let isUnique = names.count { $0 == name } == 1
        sheet.addAction(
          UIAlertAction(title: isUnique ? name : key.label, style: .default) { _ in answer.give(key) })
      }
      sheet.addAction(UIAlertAction(title: "Cancel", style: .cancel) { _ in answer.give(nil) })
      return sheet
    }
  }
#endif
