// The UIKit examples of "Using PingBinding". Linux has no UIKit: there scripts/typecheck-apple compiles this file against our
// stubs, and `DocumentationTests` compares the regions with the article.
#if canImport(UIKit)
  import PingBinding
  import UIKit

  // snippet: uikit-pin
  /// Asks for the PIN over a screen of the app, and goes away when nobody waits for the answer any more.
  @MainActor
  final class AppPinAlert: CancellablePinCollector {
    private let screen: UIViewController

    init(over screen: UIViewController) { self.screen = screen }

    nonisolated func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
      Task { completion(await collectPin(prompt: prompt)) }
    }

    func collectPin(prompt: Prompt) async -> String? {
      let (answers, answer) = AsyncStream.makeStream(of: String?.self)
      let text = [prompt.problem, prompt.description].compactMap { $0 }.joined(separator: "\n")
      let alert = UIAlertController(
        title: prompt.isNewPIN ? "Choose a PIN" : prompt.title, message: text, preferredStyle: .alert)
      alert.addTextField { field in
        field.isSecureTextEntry = true
        field.keyboardType = .numberPad
      }
      alert.addAction(UIAlertAction(title: "Cancel", style: .cancel) { _ in answer.yield(nil) })
      alert.addAction(
        UIAlertAction(title: "Continue", style: .default) { [weak alert] _ in
          answer.yield(alert?.textFields?.first?.text)
        })
      screen.present(alert, animated: true)
      for await pin in answers { return pin }
      alert.dismiss(animated: true)  // The time limit has passed.
      return nil
    }
  }
  // end

  // snippet: uikit-key
  /// Offers the keys in an action sheet, by name.
  @MainActor
  final class AppKeySheet: UserKeySelector {
    private let screen: UIViewController

    init(over screen: UIViewController) { self.screen = screen }

    func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey? {
      let (answers, answer) = AsyncStream.makeStream(of: UserKey?.self)
      let sheet = UIAlertController(
        title: prompt.title, message: prompt.description, preferredStyle: .actionSheet)
      for key in userKeys {
        sheet.addAction(UIAlertAction(title: key.username, style: .default) { _ in answer.yield(key) })
      }
      sheet.addAction(UIAlertAction(title: "Cancel", style: .cancel) { _ in answer.yield(nil) })
      sheet.popoverPresentationController?.sourceView = screen.view
      screen.present(sheet, animated: true)
      for await key in answers { return key }
      sheet.dismiss(animated: true)  // The time limit has passed.
      return nil
    }
  }
// end
#endif
