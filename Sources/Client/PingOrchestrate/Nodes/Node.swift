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

/// No answer was understood, because the workflow has no module that transforms answers.
public struct EmptyNode: Node {
  /// An empty node.
  public init() {}
}

/// The step could not be done: no network, an answer that cannot be read, a redirect, a server error, a module that
/// threw, or a cancelled task (`cause` is then a `CancellationError`).
public struct FailureNode: Node {
  /// What went wrong.
  public let cause: any Error

  /// A failure with its cause.
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

  /// An error with what the server said about it.
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
  /// What the person is signed in with.
  public let session: any Session

  /// A success with its session.
  public init(input: [String: Any] = [:], session: any Session) {
    self.input = input
    self.session = session
  }
}

/// What a finished workflow leaves: the means to prove later who is signed in.
public protocol Session: Sendable {
  /// The session token. A secret: never log it.
  var value: String { get }
}

/// No session.
public struct EmptySession: Session {
  /// Always `""`, unless it was set.
  public var value: String = ""

  /// No session.
  public init() {}
}
