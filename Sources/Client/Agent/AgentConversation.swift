/// The agent's side of one connection, which answers its messages. Each purpose has its own socket and kind of conversation; all of them
/// share ``AgentQuestions``.
///
/// A message and its answer are each preceded by their length, 4 bytes.
package protocol AgentConversation: Sendable {
  /// The longest message, in bytes.
  static var maximumBytes: Int { get }
  /// The answer to a message that is too long or empty, after which the connection ends. When a request gets this answer, the listener
  /// counts a failure.
  static var refusal: [UInt8] { get }

  /// Returns the answer. The task is cancelled when the caller goes away.
  func reply(to message: [UInt8]) async -> [UInt8]
}
