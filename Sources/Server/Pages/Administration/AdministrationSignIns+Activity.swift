internal import Concurrency
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import Operations
internal import PageTemplates
internal import ServerHTTP
internal import StrictJSON

extension AdministrationSignIns {
  /// How often at most pages that watch have stored what waits in memory. Seconds.
  private static let storingInterval: TimeInterval = 2

  /// `/am/admin/activity`: of the page's first runs those that are new or changed since the mark `after`, and the mark to ask with next; with
  /// `name`, what the server knows of that name, too. Nothing but the mark when there is no news; never more than the page has.
  func activity(_ page: PageContext) async throws -> Response {
    let now = page.now
    let isDue = stored.withLock { last in
      guard abs(now.timeIntervalSince(last)) >= Self.storingInterval else { return false }
      last = now
      return true
    }
    if isDue { await administration.activity.store(everything: true) }
    let name = AdministrationUsers.text(page.query["name"], limit: 256)
    let attempts = try await attempts(of: name, page)
    let findings: PageValue =
      name.isEmpty ? .none : .list(try await self.findings(name, attempts, page))
    let mark = ActivityMark(attempts, findings)
    let known = page.query["after"].flatMap(ActivityMark.init(parsing:))
    var answer: JSONObject = ["mark": .string(mark.text)]
    if known != mark {
      answer["attempts"] = .array(
        attempts.filter { known?.precedes($0) ?? true }.map { row($0, page).json })
      answer["findings"] = findings.json
    }
    return PageSite.answer(.object(answer))
  }
}
