/// Something that a person or a module does in a step of a workflow, such as answering a callback.
public protocol Action: Sendable {}

/// Something that holds resources until it is closed.
public protocol Closeable: Sendable {
  /// Releases the resources. Closing twice is allowed.
  func close()
}

/// Where a workflow stands after `start`, `next` or `resume`: one of ``ContinueNode``, ``SuccessNode``, ``ErrorNode``,
/// ``FailureNode``, ``EmptyNode``.
public protocol Node: Sendable {}

/// The node of a workflow without a module that transforms answers.
public struct EmptyNode: Node {
  public init() {}
}

/// The step failed: no network, an unreadable answer, a redirect, a server error, a module that threw, or a cancelled task
/// (`cause` is then a `CancellationError`).
public struct FailureNode: Node {
  /// What went wrong.
  public let cause: any Error

  public init(cause: any Error) { self.cause = cause }
}

/// The server refused the step with an error of the 4xx range. The last ``ContinueNode`` stays usable: whether to retry is
/// the app's decision.
public struct ErrorNode: Node {
  /// The body of the answer.
  // Filled from parsed JSON and never changed: reading it is safe from any thread.
  nonisolated(unsafe) public let input: [String: Any]
  /// The server's message, or `""`.
  public let message: String
  /// The HTTP status.
  public let status: Int?
  /// The run that this node belongs to.
  public let context: FlowContext

  public init(status: Int? = nil, input: [String: Any] = [:], message: String = "", context: FlowContext) {
    self.status = status
    self.input = input
    self.message = message
    self.context = context
  }
}

/// The workflow is finished.
public struct SuccessNode: Node {
  /// The body of the answer.
  // Filled from parsed JSON and never changed: reading it is safe from any thread.
  nonisolated(unsafe) public let input: [String: Any]
  /// The session that the person is signed in with.
  public let session: any Session

  public init(input: [String: Any] = [:], session: any Session) {
    self.input = input
    self.session = session
  }
}

/// The result of a finished workflow, which later proves who is signed in.
public protocol Session: Sendable {
  /// The session token. A secret: never log it.
  var value: String { get }
}

/// No session.
public struct EmptySession: Session {
  /// Always `""`, unless it was set.
  public var value: String = ""

  public init() {}
}

/// An action that is notified of the outcome of its answer.
///
/// A change on the device that belongs to an answer, such as a new key, is final only when the server has accepted the answer.
public protocol AnswerObserver: Action {
  /// Called once per ``ContinueNode/next()``, before it returns, with the node that it will return: a ``FailureNode`` means
  /// that it is unknown whether the server received the answer.
  func answered(with node: any Node) async
}
