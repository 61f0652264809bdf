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
      // The time of the password, not of the cookie, so that the cookie never counts as a fresh sign-in.
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

extension PersistentCookies.Order {
  /// Reads the properties that both persistent cookie nodes have.
  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    name = try definition.string("persistentCookieName", default: "session-jwt")
    // A token, so that it can be a cookie's name.
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(\.isTokenCharacter) else {
      throw definition.wrong(
        "persistentCookieName", "must be a cookie's name of 1 to 64 letters, digits and - _ .")
    }
    let longest = Int(PersistentCookies.longestLife) / 3600
    func seconds(_ property: String) throws(JourneyFileError) -> Int64 {
      Int64(try definition.integer(property, default: 5, in: 1...longest, clamping: .down)) * 3600
    }
    idleTime = try seconds("idleTimeout")
    maximumLife = try seconds("maxLife")
    isSecure = try definition.flag("useSecureCookie", default: true, instead: true)
    isHTTPOnly = try definition.flag("useHttpOnlyCookie", default: true, instead: true)
    // Exports carry the key of the server that they come from; this server has its own.
  }
}
