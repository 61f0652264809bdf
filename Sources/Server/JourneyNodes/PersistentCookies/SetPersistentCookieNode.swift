internal import Bytes
internal import Foundation
internal import JourneyEngine

/// Asks for a persistent cookie, which the browser gets once the journey has ended in a session.
struct SetPersistentCookieNode: JourneyNode {
  let outcomes = ["outcome"]
  private let settings: PersistentCookieSettings

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    settings = try PersistentCookieSettings(definition)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    // A cookie that was renewed does not become a new proof.
    PersistentCookies.order(
      settings.order(authenticatedAt: context.state.authenticatedAt?.millisecondsSince1970),
      in: &context.state)
    return .outcome("outcome")
  }
}
