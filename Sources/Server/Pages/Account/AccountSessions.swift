internal import Accounts
internal import BindingFormats
internal import Hummingbird
internal import JourneyStore
internal import PageTemplates
internal import ServerHTTP
internal import StrictJSON

/// `/am/account/sessions`: where the account is signed in.
struct AccountSessions: Endpoint {
  let pages: PageSite

  let accounts: Accounts

  var routes: [Route] { [pages.route("/am/account/sessions", get: list, post: end)] }

  private func list(_ page: PageContext) async throws -> Response {
    let texts = page.texts
    let own = page.session.token.hash
    let all = try await pages.store.sessions(of: page.account, now: page.now)
      .sorted {
        ($0.tokenHash == own ? 0 : 1, $1.latestAccess) < ($1.tokenHash == own ? 0 : 1, $0.latestAccess)
      }
    let sessions = all.map { session -> PageValue in
      [
        "isCurrent": .flag(session.tokenHash == own), "handle": .text(session.handle),
        "how": .text(Self.words(for: session, texts)), "journey": .optional(session.service),
        "address": .optional(session.properties[SessionAuthority.addressProperty]?.stringValue),
        "began": page.time(session.createdAt), "latest": page.time(session.latestAccess),
      ]
    }
    return try page.page(
      .accountSessions, title: texts["sessions.title"], tabs: .account(.sessions, texts),
      ["sessions": .list(sessions), "hasOthers": .flag(all.contains { $0.tokenHash != own })])
  }

  /// The methods by which the person signed in, in words.
  static func words(for session: SessionRecord, _ texts: Texts) -> String {
    let methods = (session.properties["amr"]?.arrayValue ?? []).compactMap { method -> String? in
      // RFC 8176. `mfa` needs no word, because the list shows that there are several.
      switch method.stringValue {
      case "pwd": texts["sessions.pwd"]
      case "otp": texts["sessions.otp"]
      case "pop": texts["sessions.pop"]
      default: nil
      }
    }
    guard !methods.isEmpty else { return texts["sessions.unknown"] }
    return texts["sessions.by", ["methods": methods.joined(separator: ", ")]]
  }

  private func end(_ form: PageForm, _ page: PageContext) async throws -> Response {
    guard let handle = form["handle"] else {
      let count = try await accounts.endOtherSessions(of: page.session.record)
      return page.redirect(notice: count == 0 ? "sessions.none" : "sessions.othersEnded")
    }
    // Another account's session is as unknown as one that has ended.
    guard let session = try await pages.store.session(handle: handle),
      UniversalID(username: session.username, realm: session.realm) == page.account,
      session.tokenHash != page.session.token.hash
    else { return page.redirect(notice: "sessions.gone") }
    _ = try await accounts.end(session, by: page.session.actor)
    return page.redirect(notice: "sessions.ended")
  }
}
