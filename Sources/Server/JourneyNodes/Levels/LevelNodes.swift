internal import Accounts
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

extension NodeServices {
  /// The services for a node that adds a factor. With its property `requiresStrongestFactor` (ours), the run must have proven the strongest
  /// factor that the account has, or its password if it has none, whatever ``factorChanges`` asks. The node's write checks this again.
  func addingFactors(_ definition: NodeDefinition) throws(JourneyFileError) -> NodeServices {
    try definition.flag("requiresStrongestFactor", default: false, instead: true)
      ? requiringStrongestFactor : self
  }

  fileprivate var requiringStrongestFactor: NodeServices {
    var services = self
    services.factorChanges = FactorChangePolicy(standard: .strong, maximumAge: factorChanges.maximumAge)
    return services
  }
}

extension NodeDefinition {
  /// Whether a node with `requiresStrongestFactor` would let the run add a factor now, by what the run has proven, or the session presented
  /// at its start. Ours.
  func strongestFactorDecisionNode(_ services: NodeServices) -> PlainNode {
    let services = services.requiringStrongestFactor
    return PlainNode(outcomes: ["true", "false"], stateInputs: [StateKey.username]) { context in
      guard let user = try await services.user(in: &context) else {
        return context.outcome("false", because: "there is no such user")
      }
      do {
        _ = try await services.factorPermission(for: user, context)
        return .outcome("true")
      } catch let refusal as NodeRefusal {
        return context.outcome("false", because: refusal.description)
      }
    }
  }
}

extension JourneyState {
  /// Session properties of one run, and the longest of them.
  static let mostSessionProperties = 32
  private static let longestName = 128
  private static let longestValue = 1024

  /// Names of the server's own session properties.
  private static let ownProperties: Set<String> = [
    "amctxid", "authlevel", "service", "authinstant", "usertoken", "userid", "principal", "principals",
  ]

  /// Notes a property for the session that a success makes.
  ///
  /// - Returns: why it may not be set, as one sentence; `nil` when it is.
  mutating func setSessionProperty(_ name: String, _ value: JSONValue) -> String? {
    guard (1...Self.longestName).contains(name.utf8.count), !Self.ownProperties.contains(name.lowercased()),
      !name.lowercased().hasPrefix("am.")
    else { return "the session property \(name.quoted) may not be set" }
    guard let text = value.stringValue, text.utf8.count <= Self.longestValue else {
      return "the session property \(name.quoted) is not a text, or is longer than \(Self.longestValue) bytes"
    }
    guard sessionProperties[name] != nil || sessionProperties.count < Self.mostSessionProperties else {
      return "a run may set \(Self.mostSessionProperties) session properties at most"
    }
    sessionProperties[name] = .string(text)
    return nil
  }
}
