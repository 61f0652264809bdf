internal import Foundation
internal import JourneyEngine
internal import StrictJSON

/// Changes the authentication level of the run by a fixed number, like PingAM's node of this type.
struct ModifyAuthLevelNode: JourneyNode {
  let outcomes = ["outcome"]
  let authLevelIncrement: Int

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    authLevelIncrement = try definition.level("authLevelIncrement", in: -1000...1000, clamping: .down)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    context.state.changeAuthLevel(by: authLevelIncrement)
    return .outcome("outcome")
  }
}

/// Whether the run has reached an authentication level.
struct AuthLevelDecisionNode: JourneyNode {
  let outcomes = ["true", "false"]
  private let requirement: Int
  var authLevelRequirement: Int? { requirement }

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    requirement = try definition.level("authLevelRequirement", in: 0...1000, clamping: .up)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    .outcome(context.state.authLevel >= requirement ? "true" : "false")
  }
}

/// Copies a property of the session that the client presented into shared state; does nothing without a session.
///
/// The keys are `UserToken`, the user's name, and the session's `AuthLevel`, `Service` and `authInstant`.
struct SessionDataNode: JourneyNode {
  let outcomes = ["outcome"]
  private let key: String
  private let variable: String

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    key = try definition.choice(
      "sessionDataKey", default: "",
      among: ["UserToken", "AuthLevel", "Service", "authInstant"].map { ($0, $0) })
    variable = try definition.string("sharedStateKey")
    guard !variable.isEmpty else { throw definition.wrong("sharedStateKey", "must name a state variable") }
    // The variable decides whose journey this is, so only a user's name may be copied into it.
    guard variable != StateKey.username || key == "UserToken" else {
      throw definition.wrong("sharedStateKey", "may be \(StateKey.username) only for the key UserToken")
    }
  }

  var stateOutputs: [String] { [variable] }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
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

extension NodeDefinition {
  /// A level that the file must set, because no default suits everybody.
  fileprivate func level(
    _ property: String, in range: ClosedRange<Int>, clamping: Clamping
  ) throws(JourneyFileError) -> Int {
    guard let value = properties[property], !value.isNull else { throw wrong(property, "is missing") }
    return try integer(property, default: 0, in: range, clamping: clamping)
  }
}
