/// An action that wants to know what became of the answer that it was part of.
///
/// What a device changes for an answer, such as a new key, is final only when the server has taken it.
public protocol AnswerObserver: Action {
  /// Called once per ``ContinueNode/next()``, before it returns, with the node that it will return: a ``FailureNode`` means
  /// that nobody knows whether the server received the answer.
  func answered(with node: any Node) async
}
