/// Lets a person choose among several keys.
///
/// It is not `Sendable`, so that any class of an app can conform to it; one call runs at a time.
public protocol UserKeySelector {
  /// Shows `userKeys`, newest first, and returns the chosen one, or `nil` when the person cancels.
  ///
  /// When the time limit or the app cancels the task, remove the prompt. A later answer is ignored.
  func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey?

  /// Whether the selector shows all of ``Prompt/transaction`` whenever there is one; `false` by default.
  ///
  /// When it is `false`, the selector is asked to choose a key for a transaction only if
  /// ``DeviceBindingConfig/transactionConfirmation`` is set to show the transaction; without that, nothing is signed. The default
  /// selectors show transactions.
  var showsTransactions: Bool { get }
}

extension UserKeySelector {
  public var showsTransactions: Bool { false }
}
