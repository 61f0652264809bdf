internal import Concurrency
public import PingLogger

/// Registers a module's handlers. Each function adds a handler to one phase of ``Workflow``.
public struct Setup<ModuleConfig: Sendable>: Sendable {
  /// The workflow to take part in.
  public let workflow: Workflow
  /// What the modules share for the workflow's lifetime.
  public let context: SharedContext
  /// The workflow's logger.
  public let logger: any Logger
  /// The workflow's HTTP client.
  public let httpClient: HttpClient
  /// The module's configuration.
  public let config: ModuleConfig

  /// A setup for one module of `workflow`.
  public init(workflow: Workflow, config: ModuleConfig) {
    self.workflow = workflow
    self.context = workflow.sharedContext
    self.logger = workflow.config.logger
    self.httpClient = workflow.config.httpClient
    self.config = config
  }

  /// Runs once per workflow, before the first call and concurrently with other modules' blocks. If it throws, that call
  /// fails, and the next call tries again.
  public func initialize(block: @escaping @Sendable () async throws -> Void) {
    workflow.handlers.withLock { $0.initialize.append(block) }
  }

  /// Runs at each start and returns the request to continue with.
  public func start(_ block: @escaping @Sendable (FlowContext, Request) async throws -> Request) {
    workflow.handlers.withLock { $0.start.append(block) }
  }

  /// Runs at each `next` and returns the request to continue with.
  public func next(block: @escaping @Sendable (FlowContext, ContinueNode, Request) async throws -> Request) {
    workflow.handlers.withLock { $0.next.append(block) }
  }

  /// Runs after each answer, including that of a sign-off, before the answer is transformed.
  public func response(block: @escaping @Sendable (FlowContext, any Response) async throws -> Void) {
    workflow.handlers.withLock { $0.response.append(block) }
  }

  /// Runs on each node and returns the node to continue with.
  public func node(block: @escaping @Sendable (FlowContext, any Node) async throws -> any Node) {
    workflow.handlers.withLock { $0.node.append(block) }
  }

  /// Runs on each ``SuccessNode`` and returns the one to continue with.
  public func success(block: @escaping @Sendable (FlowContext, SuccessNode) async throws -> SuccessNode) {
    workflow.handlers.withLock { $0.success.append(block) }
  }

  /// Turns an answer into a node. A workflow uses only the block registered last.
  public func transform(block: @escaping @Sendable (FlowContext, any Response) async throws -> any Node) {
    workflow.handlers.withLock { $0.transform = block }
  }

  /// Sends a request. A workflow uses only the block registered last.
  public func transport(block: @escaping @Sendable (FlowContext, Request) async throws -> any Response) {
    workflow.handlers.withLock { $0.transport = block }
  }

  /// Runs at each sign-off and returns the request to continue with.
  public func signOff(block: @escaping @Sendable (Request) async -> Request) {
    workflow.handlers.withLock { $0.signOff.append(block) }
  }

  /// Runs after the answer to a sign-off. If it throws, the sign-off fails with that error.
  package func signedOff(block: @escaping @Sendable (Request, any Response) async throws -> Void) {
    workflow.handlers.withLock { $0.signedOff.append(block) }
  }

  /// Runs at a sign-off for which no module had a session to end. If it throws, the sign-off fails with that error.
  package func nothingToSignOff(block: @escaping @Sendable () async throws -> Void) {
    workflow.handlers.withLock { $0.nothingToSignOff.append(block) }
  }
}
