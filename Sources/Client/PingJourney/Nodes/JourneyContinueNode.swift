public import PingJourneyPlugin
public import PingOrchestrate

/// A step of a journey. Answer its callbacks, then call `next()`.
// Adds no stored property.
public final class JourneyContinueNode: ContinueNode, @unchecked Sendable {
  /// A step with its callbacks.
  public init(context: FlowContext, workflow: Workflow, input: [String: Any], actions: [any Callback]) {
    super.init(context: context, workflow: workflow, input: input, actions: actions)
  }

  /// The request that posts the callbacks; those with an empty payload are left out. Callbacks that are a
  /// `RequestInterceptor` may replace it.
  override public func asRequest() -> Request {
    guard let config = workflow.config as? JourneyConfig else {
      return Request(
        failing: .missingURL(reason: "the workflow is not a journey; make it with Journey.createJourney"))
    }
    let request = config.request(for: "authenticate")
    request.header(name: JourneyConstants.acceptApiVersion, value: JourneyConstants.resource21Protocol10)
    request.body(body: [
      JourneyConstants.authId: input[JourneyConstants.authId] as? String ?? "",
      JourneyConstants.callbacks: callbacks.map { $0.payload() }.filter { !$0.isEmpty },
    ])
    return callbacks.compactMap { $0 as? any RequestInterceptor }.reduce(request) { request, callback in
      callback.intercept(context: context, request: request)
    }
  }
}
