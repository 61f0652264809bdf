/// Lets a person choose among several keys.
///
/// It is not `Sendable`, so that any class of an app can conform to it; one call runs at a time.
public protocol UserKeySelector {
  /// Shows `userKeys`, newest first, and returns the chosen one, or `nil` when the person cancels.
  ///
  /// The time limit, or the app, cancels the task: take the prompt away then. A later answer is ignored.
  func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey?
}
