/// A step that waits for input. Fill in its ``actions``, then call ``next()``.
// The stored properties are immutable; `input` holds parsed JSON that does not change.
open class ContinueNode: Node, Closeable, @unchecked Sendable {
  /// The run that this step belongs to.
  public let context: FlowContext
  /// The workflow that this step belongs to.
  public let workflow: Workflow
  /// The body of the server's answer.
  public let input: [String: Any]
  /// What the step asks for, in the server's order.
  public let actions: [any Action]

  /// A step of `workflow`.
  public init(context: FlowContext, workflow: Workflow, input: [String: Any], actions: [any Action]) {
    self.context = context
    self.workflow = workflow
    self.input = input
    self.actions = actions
  }

  /// The request that answers this step. Subclasses override it; the default is a request whose sending fails.
  open func asRequest() -> Request {
    Request(failing: .missingURL(reason: "\(type(of: self)) does not override asRequest()"))
  }

  /// Answers the step and returns the next node. Never throws: errors become a ``FailureNode``.
  public func next() async -> any Node {
    await workflow.next(context, self)
  }

  /// Closes every action that is ``Closeable``.
  public func close() {
    for case let action as any Closeable in actions { action.close() }
  }
}
