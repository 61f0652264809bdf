/// One connection's side of the agent: what each message is answered. Each purpose has a socket and a kind of conversation of its own; the
/// questions of all of them are ``AgentQuestions``.
///
/// A message and its answer travel behind their length, 4 bytes.
package protocol AgentConversation: Sendable {
  /// The longest message, in bytes.
  static var maximumBytes: Int { get }
  /// The answer to a message that is longer or empty, after which the connection ends. Where a request is answered so, the listener counts a
  /// failure.
  static var refusal: [UInt8] { get }

  /// The answer. The task is cancelled when the caller goes away.
  func reply(to message: [UInt8]) async -> [UInt8]
}
