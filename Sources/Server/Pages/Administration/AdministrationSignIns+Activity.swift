internal import Concurrency
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import Operations
internal import PageTemplates
internal import ServerHTTP
internal import StrictJSON

extension AdministrationSignIns {
  /// The shortest time between two writes of waiting activity for open pages. Seconds.
  private static let storingInterval: TimeInterval = 2

  /// `/am/admin/activity`: those of the page's first runs that are new or changed since the mark `after`, and the mark for the next
  /// request; with `name`, also the findings about that name. Without news it has only the mark. It never has more than the page.
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
