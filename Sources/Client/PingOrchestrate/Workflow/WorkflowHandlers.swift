/// What the modules of one workflow have registered, phase by phase.
struct WorkflowHandlers: Sendable {
  var initialize: [@Sendable () async throws -> Void] = []
  var start: [@Sendable (FlowContext, Request) async throws -> Request] = []
  var next: [@Sendable (FlowContext, ContinueNode, Request) async throws -> Request] = []
  var response: [@Sendable (FlowContext, any Response) async throws -> Void] = []
  var node: [@Sendable (FlowContext, any Node) async throws -> any Node] = []
  var success: [@Sendable (FlowContext, SuccessNode) async throws -> SuccessNode] = []
  var signOff: [@Sendable (Request) async throws -> Request] = []
  var signedOff: [@Sendable (Request, any Response) async throws -> Void] = []
  var nothingToSignOff: [@Sendable () async throws -> Void] = []
  var transform: @Sendable (FlowContext, any Response) async throws -> any Node = { _, _ in EmptyNode() }
  /// `nil` sends through the workflow's HTTP client.
  var transport: (@Sendable (FlowContext, Request) async throws -> any Response)?
}
