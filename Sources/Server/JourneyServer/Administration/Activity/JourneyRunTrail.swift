internal import JourneyEngine
internal import JourneyStore

/// What one request has done of a journey's run.
struct JourneyRunTrail: Sendable {
  let id: String

  /// The journey that the client started.
  let journey: String
  let realm: String
  private(set) var steps: [SignInAttempt.Step] = []

  /// The key of the name that the journey knows; it need not be an account's.
  private(set) var account: String?
  var state = SignInAttempt.State.open

  /// Why the request was refused, for the operator.
  var reason: String?

  init(id: String, journey: String, realm: String) {
    self.id = id
    self.journey = journey
    self.realm = realm
  }

  mutating func note(_ visit: NodeVisit) {
    if let name = visit.state.username { account = AccountKey(username: name, realm: realm).name }
    guard steps.count < SignInAttempt.mostSteps else { return }
    let outcome: String? =
      switch visit.result {
      case .outcome(let outcome): outcome
      case .callbacks, .suspend: SignInAttempt.Step.asked
      case nil: nil
      }
    steps.append(
      SignInAttempt.Step(
        journey: visit.journey, node: visit.nodeID,
        name: visit.displayName.isEmpty ? visit.type : visit.displayName, type: visit.type,
        outcome: outcome))
  }
}
