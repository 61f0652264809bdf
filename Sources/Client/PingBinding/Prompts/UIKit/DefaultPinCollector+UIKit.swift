#if canImport(UIKit)
  internal import Concurrency
  internal import DeviceKeys
  public import Foundation
  internal import UIKit

  /// Asks for the PIN in an alert with hidden input. A new PIN is entered twice, and both entries have to match.
  ///
  /// Each call shows its own alert, which a cancelled task removes. Without a window it cancels and logs that; set
  /// ``DeviceBindingConfig/pinCollector`` then.
  // Has no stored property.
  public class DefaultPinCollector: NSObject, CancellablePinCollector, @unchecked Sendable {
    public override init() { super.init() }

    public var showsTransactions: Bool { true }

    public func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
      Task { completion(await collectPin(prompt: prompt)) }
    }

    public func collectPin(prompt: Prompt) async -> String? {
      await AlertPrompt.ask(setting: "config.pinCollector") { answer in
        Self.alert(prompt, answer)
      }
    }

    @MainActor
    private static func alert(_ prompt: Prompt, _ answer: FirstAnswer<String?>) -> UIAlertController {
      let alert = UIAlertController(
        title: prompt.title.isEmpty ? (prompt.isNewPIN ? "Choose a PIN" : "Enter PIN") : prompt.title,
        message: message(prompt), preferredStyle: .alert)
      let accept = UIAlertAction(title: "Ok", style: .default) { [weak alert] _ in
        answer.give(alert.flatMap(entered))
      }
      accept.isEnabled = false
      for placeholder in prompt.isNewPIN ? ["New PIN", "The same PIN again"] : ["PIN"] {
        alert.addTextField { field in
          field.placeholder = placeholder
          field.isSecureTextEntry = true
          field.keyboardType = .numberPad
          field.addAction(
            UIAction { [weak alert, weak accept] _ in
              accept?.isEnabled = alert.flatMap(entered) != nil
            }, for: .editingChanged)
        }
      }
      alert.addAction(UIAlertAction(title: "Cancel", style: .cancel) { _ in answer.give(nil) })
      alert.addAction(accept)
      alert.preferredAction = accept
      return alert
    }

    /// The PIN; `nil` while nothing is entered or two entries differ.
    @MainActor
    private static func entered(in alert: UIAlertController) -> String? {
      let texts = (alert.textFields ?? []).map { $0.text ?? "" }
      guard let pin = texts.first, !pin.isEmpty, texts.allSatisfy({ PIN($0) == PIN(pin) }) else { return nil }
      return pin
    }

    private static func message(_ prompt: Prompt) -> String {
      let wrong = prompt.triesLeft.map { "That PIN is wrong. Tries left: \($0)" }
      return [prompt.problem, wrong, prompt.subtitle, prompt.description]
        .compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "\n")
    }
  }
#endif
