internal import Bytes
internal import Foundation
internal import JourneyEngine
internal import JourneyStore

extension NodeDefinition {
  /// Asks for a persistent cookie, which the browser gets once the journey has ended in a session.
  func setPersistentCookieNode() throws(JourneyFileError) -> PlainNode {
    let settings = try PersistentCookies.Order(self)
    return PlainNode { context in
      // A cookie that was renewed does not become a new proof.
      var order = settings
      order.authenticatedAt = context.state.authenticatedAt?.millisecondsSince1970
      PersistentCookies.order(order, in: &context.state)
      return .outcome("outcome")
    }
  }

  /// Whether the browser has a valid persistent cookie; the journey continues as its account. Each use keeps the cookie alive for another
  /// idle time, and never beyond its longest life.
  func persistentCookieDecisionNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let settings = try PersistentCookies.Order(self)
    let requiresAddress = try flag("enforceClientIp", default: false, instead: true)
    return PlainNode(outcomes: ["true", "false"], stateOutputs: [StateKey.username]) { context in
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
      var order = settings
      (order.authenticatedAt, order.expiresAt) = (content.authenticatedAt, content.expiresAt)
      PersistentCookies.order(order, in: &context.state)
      return .outcome("true")
    }
  }
}
