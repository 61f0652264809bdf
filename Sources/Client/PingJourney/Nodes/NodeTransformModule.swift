internal import PingJourneyPlugin
internal import PingLogger
public import PingOrchestrate

/// Turns the server's answers into nodes.
///
/// | Answer | Node |
/// |---|---|
/// | 2xx with `authId` | ``JourneyContinueNode`` |
/// | 2xx with `tokenId`, `successUrl` or `realm` | `SuccessNode` with an ``SSOTokenImpl``; what is missing is `""` |
/// | other 2xx | `FailureNode` |
/// | 4xx with JSON | `ErrorNode`; see `ErrorNode.reason` |
/// | 4xx without JSON, 3xx, 5xx | `FailureNode` with an ``ApiError`` |
// Has no stored property.
public class NodeTransformModule: @unchecked Sendable {
  public init() {}

  /// The module; every journey has it.
  public static let config: Module<Void> = Module.of { setup in
    // Weak, because the workflow holds its handlers.
    setup.transform { [weak workflow = setup.workflow] flow, response in
      guard let workflow else { return EmptyNode() }
      return try await node(for: response, flow, workflow)
    }
  }

  private static func node(
    for response: any Response, _ flow: FlowContext, _ workflow: Workflow
  ) async throws -> any Node {
    let status = response.status()
    let parsed = Result { try response.json() }
    switch (status, parsed) {
    case (200..<300, .success(let json)):
      return try await node(for: json, status, flow, workflow)
    case (300..<400, _):
      return failure(status, [:], "Location: \(response.header(name: "Location") ?? "")")
    case (400..<500, .success(let json)):
      return ErrorNode(
        status: status, input: json, message: json[JourneyConstants.message] as? String ?? "", context: flow)
    case (_, .success(let json)):
      return failure(status, json, await response.body())
    case (_, .failure(let error)):
      return failure(status, ["Exception": error], await response.body())
    }
  }

  private static func node(
    for json: [String: Any], _ status: Int, _ flow: FlowContext, _ workflow: Workflow
  ) async throws -> any Node {
    guard json[JourneyConstants.authId] == nil else { return await step(json, status, flow, workflow) }
    let names = [JourneyConstants.tokenId, JourneyConstants.successUrl, JourneyConstants.realmName]
    guard names.contains(where: { json[$0] != nil }) else {
      return failure(status, json, "The answer is neither a step of a journey nor its success.")
    }
    let texts = names.map { json[$0] as? String ?? "" }
    return SuccessNode(
      input: json, session: SSOTokenImpl(value: texts[0], successUrl: texts[1], realm: texts[2]))
  }

  private static func step(
    _ json: [String: Any], _ status: Int, _ flow: FlowContext, _ workflow: Workflow
  ) async -> any Node {
    guard json[JourneyConstants.authId] is String else {
      return failure(status, json, "The step's authId is not text.")
    }
    let received = json[JourneyConstants.callbacks] as? [Any] ?? []
    let objects = received.compactMap { ($0 as? [String: Any]).map { JSONBox($0) } }
    guard objects.count == received.count else {
      return failure(status, json, "The step has a callback that is not a JSON object.")
    }
    let callbacks = await CallbackRegistry.shared.callbacks(from: objects, logger: workflow.config.logger)
    let node = JourneyContinueNode(context: flow, workflow: workflow, input: json, actions: callbacks)
    CallbackRegistry.connect(node, workflow)
    return node
  }

  private static func failure(_ status: Int, _ json: [String: Any], _ text: String) -> FailureNode {
    FailureNode(cause: ApiError.error(status, json, text))
  }
}
