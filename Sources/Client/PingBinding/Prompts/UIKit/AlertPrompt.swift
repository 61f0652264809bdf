#if canImport(UIKit)
  internal import Concurrency
  internal import PingLogger
  internal import UIKit

  /// Asks questions, each in its own alert.
  @MainActor
  enum AlertPrompt {
    /// Shows what `make` builds on top of everything, and returns the first answer.
    ///
    /// - Parameters:
    ///   - setting: The setting with which an app asks in its own way, for the log.
    ///   - make: Builds the alert, whose actions give the answer.
    /// - Returns: `nil` when the person cancels, when the task is cancelled, which removes the alert, or when there is no window.
    static func ask<Answer: Sendable>(
      setting: String, _ make: @MainActor (FirstAnswer<Answer?>) -> UIAlertController
    ) async -> Answer? {
      guard !Task.isCancelled else { return nil }
      let answer = FirstAnswer<Answer?>()
      let alert = make(answer)
      guard let presenter = topViewController else {
        warn("no window is shown", setting: setting)
        return nil
      }
      if let popover = alert.popoverPresentationController, let view = presenter.view {
        // An action sheet is a popover on iPads, and has to point somewhere.
        popover.sourceView = view
        popover.sourceRect = CGRect(x: view.bounds.midX, y: view.bounds.midY, width: 0, height: 0)
        popover.permittedArrowDirections = []
      }
      presenter.present(alert, animated: true)
      guard alert.presentingViewController != nil else {
        warn("the system does not show it now", setting: setting)
        return nil
      }
      let given = await withTaskCancellationHandler {
        await answer.value
      } onCancel: {
        answer.give(nil)
      }
      // An action removes the alert; a cancelled task does not.
      if alert.presentingViewController != nil, !alert.isBeingDismissed { alert.dismiss(animated: true) }
      return given
    }

    /// The app's topmost view controller in the active window.
    private static var topViewController: UIViewController? {
      let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
      let scene = scenes.first { $0.activationState == .foregroundActive } ?? scenes.first
      let window = scene?.keyWindow ?? scene?.windows.first { $0.rootViewController != nil }
      var top = window?.rootViewController
      while let next = top?.presentedViewController, !next.isBeingDismissed { top = next }
      return top
    }

    private static func warn(_ reason: String, setting: String) {
      BindingModule.logger(for: nil).w(
        "The person cannot be asked: \(reason). Call from the foreground, or set \(setting).", error: nil)
    }
  }
#endif
