internal import Bytes
internal import Foundation
internal import JourneyEngine
internal import JourneyStore

/// Whether the browser has a valid persistent cookie; the journey continues as its account. Each use keeps the cookie alive for another
/// idle time, and never beyond its longest life.
struct PersistentCookieDecisionNode: JourneyNode {
  let outcomes = ["true", "false"]
  let stateOutputs = [StateKey.username]
  private let services: NodeServices
  private let settings: PersistentCookieSettings
  private let requiresAddress: Bool

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    settings = try PersistentCookieSettings(definition)
    requiresAddress = try definition.flag("enforceClientIp", default: false, instead: true)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard
      let content = try await services.persistentCookies.content(
        named: settings.name, in: context.request, requiresAddress: requiresAddress, store: services.store,
        now: services.clock())
    else { return context.outcome("false", because: "there is no valid cookie \(settings.name)") }
    context.state.username = content.user.username
    context.state.noteAccount(content.user.id)
    // The moment of the password, not of the cookie: it opens nothing that asks for a fresh sign-in.
    context.state.noteAuthentication(
      at: Date(millisecondsSince1970: content.authenticatedAt), by: "persistent-cookie")
    context.state.notePassword(PasswordMark(content.user).text)
    PersistentCookies.order(
      settings.order(authenticatedAt: content.authenticatedAt, expiresAt: content.expiresAt),
      in: &context.state)
    return .outcome("true")
  }
}
