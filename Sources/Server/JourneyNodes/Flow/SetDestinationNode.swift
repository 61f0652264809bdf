internal import JourneyEngine
internal import StrictJSON

/// Where the client goes after success (`SetSuccessUrlNode`) or failure (`SetFailureUrlNode`).
struct SetDestinationNode: JourneyNode {
  enum End: Sendable { case success, failure }

  let outcomes = ["outcome"]
  private let variable: String

  /// `nil` leaves the destination as it is.
  private let url: String?

  init(_ end: End, _ definition: NodeDefinition) throws(JourneyFileError) {
    let property = end == .success ? "successUrl" : "failureUrl"
    variable = end == .success ? StateKey.successURL : StateKey.failureURL
    let url = try definition.string(property)
    self.url = Self.isDestination(url) ? url : nil
    if self.url == nil {
      definition.repaired(
        property, "must be an address that begins with https://, http:// or a single slash",
        instead: "The journey continues without it.")
    }
  }

  var stateOutputs: [String] { [variable] }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    if let url { context.state.shared[variable] = .string(url) }
    return .outcome("outcome")
  }

  /// Refuses addresses that a browser would run, and hosts that look like a path.
  static func isDestination(_ text: String) -> Bool {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != 0x5C }) else {
      return false
    }
    if text.hasPrefix("/") { return !text.hasPrefix("//") }
    return text.hasPrefix("https://") || text.hasPrefix("http://")
  }
}
