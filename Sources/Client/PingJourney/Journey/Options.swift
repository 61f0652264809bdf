internal import PingJourneyPlugin
internal import PingOrchestrate

/// Options for one run of a journey.
public struct Options: Sendable {
  /// Runs the journey despite a valid session; success creates a new one.
  public var forceAuth: Bool = false
  /// Evaluates the journey without creating a session.
  public var noSession: Bool = false

  init() {}

  /// The options of a run.
  init(of flow: FlowContext) {
    forceAuth = flow.flowContext.get(key: JourneyConstants.forceAuth) as? Bool ?? false
    noSession = flow.flowContext.get(key: JourneyConstants.noSession) as? Bool ?? false
  }

  /// The context of a run with these options. The options belong to the run, so that a second run cannot change those of the first.
  ///
  /// - Parameter transaction: the id of the transaction that the run is for.
  func makeFlow(transaction: String? = nil) -> FlowContext {
    var map: [String: Any] = [
      JourneyConstants.forceAuth: forceAuth, JourneyConstants.noSession: noSession,
    ]
    map[JourneyConstants.transactionId] = transaction
    return FlowContext(flowContext: SharedContext(map))
  }
}
