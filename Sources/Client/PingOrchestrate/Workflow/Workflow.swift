internal import Concurrency
internal import PingLogger

/// A conversation with a server, in which modules take part phase by phase.
///
/// `start` runs the phases initialize (once per workflow), start, transport, response, transform, node and, when the node
/// is a ``SuccessNode``, success. ``ContinueNode/next()`` runs next, transport and the phases after it. `signOff` runs
/// initialize, signOff, transport and response.
///
/// The calls of one workflow run one after the other, in the order in which they were made; those of two workflows are
/// independent. A handler may call the workflow that runs it.
// Every stored property is immutable and Sendable; what changes is behind the lock of `handlers`.
public class Workflow: @unchecked Sendable {
  /// The workflow's configuration.
  public let config: WorkflowConfig
  /// What the modules share for the workflow's lifetime.
  public let sharedContext = SharedContext()

  let handlers = Locked(WorkflowHandlers())

  private enum Initialization { case due, running, done }

  private let initialization = Locked(Initialization.due)
  private let initializing = ReentrantFIFO()
  private let calls = ReentrantFIFO()

  /// A workflow whose modules have registered their handlers.
  public init(config: WorkflowConfig) {
    self.config = config
    config.register(workflow: self)
  }

  /// The handlers of the success phase, in order.
  public var successHandlers: [@Sendable (FlowContext, SuccessNode) async throws -> SuccessNode] {
    get { handlers.withLock { $0.success } }
    set { handlers.withLock { $0.success = newValue } }
  }

  /// The handlers of the sign-off phase, in order.
  public var signOffHandlers: [@Sendable (Request) async throws -> Request] {
    get { handlers.withLock { $0.signOff } }
    set { handlers.withLock { $0.signOff = newValue } }
  }

  /// Runs the modules' initialize handlers, concurrently, unless they have all succeeded before.
  ///
  /// - Throws: the first error of a handler, after the others were cancelled. The next call tries again.
  public func initialize() async throws {
    try await initializing.pass { [self] in
      let isDue = initialization.withLock { state in
        guard state == .due else { return false }
        state = .running
        return true
      }
      // While it is `running`, this call comes from an initialize handler, which must not wait for itself.
      guard isDue else { return }
      do {
        try await runInitializeHandlers()
        initialization.withLock { $0 = .done }
      } catch {
        initialization.withLock { $0 = .due }
        throw error
      }
    }
  }

  private func runInitializeHandlers() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for handler in handlers.withLock({ $0.initialize }) { group.addTask { try await handler() } }
      // Leaving by a throw cancels the handlers that still run.
      for try await _ in group {}
    }
  }

  /// Starts a run with `request` and returns its first node. Never throws: errors become a ``FailureNode``.
  public func start(_ request: Request) async -> any Node {
    await start(request, in: FlowContext(flowContext: SharedContext()))
  }

  /// Starts a run with a blank request, which a module is expected to fill.
  public func start() async -> any Node { await start(Request()) }

  /// Starts a run whose context was prepared by the caller.
  package func start(_ request: Request, in flow: FlowContext) async -> any Node {
    await node { [self] in
      var request = request
      for handler in handlers.withLock({ $0.start }) { request = try await handler(flow, request) }
      return try await exchange(flow, request)
    }
  }

  /// Answers `current`, a node of the run `context`, and returns the run's next node. Each ``AnswerObserver`` among the actions of
  /// `current` is notified first.
  public func next(_ context: FlowContext, _ current: ContinueNode) async -> any Node {
    let next = await node { [self] in
      var request = current.asRequest()
      for handler in handlers.withLock({ $0.next }) { request = try await handler(context, current, request) }
      current.close()
      return try await exchange(context, request)
    }
    for case let observer as any AnswerObserver in current.actions { await observer.answered(with: next) }
    return next
  }

  /// Ends the session.
  ///
  /// When no module has a session to end, nothing is sent, and the modules delete what they store.
  ///
  /// - Returns: success when every module accepted the server's answer, or none was needed; otherwise the error of the network or of
  ///   a module.
  public func signOff() async -> Result<Void, any Error> {
    do {
      try await inTurn { [self] in
        var request = Request()
        for handler in handlers.withLock({ $0.signOff }) { request = try await handler(request) }
        // An app's own transport decides what to do with a request without a URL.
        if !request.isBlank || handlers.withLock({ $0.transport != nil }) {
          let response = try await send(FlowContext(flowContext: SharedContext()), request)
          for handler in handlers.withLock({ $0.signedOff }) { try await handler(request, response) }
        }
        guard request.isBlank else { return }
        for handler in handlers.withLock({ $0.nothingToSignOff }) { try await handler() }
      }
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Waits for this call's turn, initializes and runs `body`.
  private func inTurn<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
    do {
      return try await calls.pass { [self] in
        try Task.checkCancellation()
        try await initialize()
        return try await body()
      }
    } catch {
      // URLSession and other code throw errors of their own for a cancelled task; callers need to know only this one.
      throw Task.isCancelled ? CancellationError() : error
    }
  }

  private func node(_ body: @Sendable () async throws -> any Node) async -> any Node {
    do {
      return try await inTurn(body)
    } catch {
      if !(error is CancellationError) { config.logger.e("The step failed", error: error) }
      return FailureNode(cause: error)
    }
  }

  /// Sends the request and has the modules turn the answer into a node.
  private func exchange(_ flow: FlowContext, _ request: Request) async throws -> any Node {
    let response = try await send(flow, request)
    let handlers = handlers.withLock { $0 }
    var node = try await handlers.transform(flow, response)
    for handler in handlers.node { node = try await handler(flow, node) }
    guard var success = node as? SuccessNode else { return node }
    for handler in handlers.success { success = try await handler(flow, success) }
    return success
  }

  /// Sends the request, and shows the answer to the response handlers.
  private func send(_ flow: FlowContext, _ request: Request) async throws -> any Response {
    try Task.checkCancellation()
    let handlers = handlers.withLock { $0 }
    let response =
      if let transport = handlers.transport {
        try await transport(flow, request)
      } else {
        try await config.httpClient.response(to: request)
      }
    for handler in handlers.response { try await handler(flow, response) }
    return response
  }
}

extension Workflow {
  /// A workflow that `block` configures.
  public static func createWorkflow(_ block: (WorkflowConfig) -> Void = { _ in }) -> Workflow {
    let config = WorkflowConfig()
    block(config)
    return Workflow(config: config)
  }
}
