internal import Foundation
internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Changes the authentication level of the run by a fixed number, like PingAM's node of this type.
  func modifyAuthLevelNode() throws(JourneyFileError) -> PlainNode {
    let increment = try level("authLevelIncrement", in: -1000...1000, clamping: .down)
    return PlainNode(authLevelIncrement: increment) { context in
      context.state.changeAuthLevel(by: increment)
      return .outcome("outcome")
    }
  }

  /// Whether the run has reached an authentication level.
  func authLevelDecisionNode() throws(JourneyFileError) -> PlainNode {
    let requirement = try level("authLevelRequirement", in: 0...1000, clamping: .up)
    return PlainNode(outcomes: ["true", "false"], authLevelRequirement: requirement) { context in
      .outcome(context.state.authLevel >= requirement ? "true" : "false")
    }
  }

  /// Copies a property of the session that the client presented into shared state; does nothing without a session.
  ///
  /// The keys are `UserToken`, the user's name, and the session's `AuthLevel`, `Service` and `authInstant`.
  func sessionDataNode() throws(JourneyFileError) -> PlainNode {
    let key = try choice(
      "sessionDataKey", default: "",
      among: ["UserToken", "AuthLevel", "Service", "authInstant"].map { ($0, $0) })
    let variable = try string("sharedStateKey")
    guard !variable.isEmpty else { throw wrong("sharedStateKey", "must name a state variable") }
    // The variable decides whose journey this is, so only a user's name may be copied into it.
    guard variable != StateKey.username || key == "UserToken" else {
      throw wrong("sharedStateKey", "may be \(StateKey.username) only for the key UserToken")
    }
    return PlainNode(stateOutputs: [variable]) { context in
      guard let session = context.session else {
        return context.outcome("outcome", because: "the client presented no session")
      }
      let value: String? =
        switch key {
        case "UserToken": session.username
        case "AuthLevel": String(session.authLevel)
        case "Service": session.service
        default: session.authenticatedAt.formatted(.iso8601)
        }
      context.state.shared[variable] = value.map { .string($0) }
      return .outcome("outcome")
    }
  }

  /// A level that the file must set, because no default suits everybody.
  private func level(
    _ property: String, in range: ClosedRange<Int>, clamping: Clamping
  ) throws(JourneyFileError) -> Int {
    guard let value = properties[property], !value.isNull else { throw wrong(property, "is missing") }
    return try integer(property, default: 0, in: range, clamping: clamping)
  }
}
