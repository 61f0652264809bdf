internal import JourneyEngine
internal import JourneyStore

/// The part of a journey's run that one request has done.
package struct JourneyRunTrail: Sendable {
  let id: String

  /// The journey that the client started.
  let journey: String
  let realm: String

  /// The network address that the request came from.
  let address: String?
  private(set) var steps: [SignInAttempt.Step] = []

  /// The name that the journey knows; it need not be an account's.
  private var username: String?

  /// The key of that name.
  var account: String? { username.map { AccountKey(username: $0, realm: realm).name } }

  var state = SignInAttempt.State.open

  /// Why the request was refused, for the operator.
  package var reason: String?

  init(id: String, journey: String, realm: String, address: String?) {
    self.id = id
    self.journey = journey
    self.realm = realm
    self.address = address
  }

  mutating func note(_ visit: NodeVisit) {
    username = visit.state.username ?? username
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
