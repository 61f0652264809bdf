internal import BindingFormats
internal import Foundation
internal import JourneyStore
internal import PageTemplates

/// The refused sign-ins of an account, for its owner.
///
/// Anybody can have sign-ins refused in somebody's name, or leave some unfinished, as many as they like. So the sign-ins of a day are one
/// entry, which crowds nothing out, and only the latest of each day are read, so that one day does not hide another. Only the time, the
/// names of journeys on this server and the network addresses are shown: the other texts of an attempt are for operators.
struct RefusedSignIns: Sendable {
  let store: StoredActivity

  /// The most marks that are read of one day.
  static let mostOfDay = 200

  /// The most journeys, and the most addresses, that an entry names.
  private static let mostNames = 3

  private static let day: TimeInterval = 86_400

  /// One entry a day (UTC), the latest first.
  ///
  /// - Parameters:
  ///   - journeys: names that may be shown.
  ///   - limit: most entries.
  func entries(
    of account: UniversalID, journeys: Set<String>, limit: Int, now: Date, _ texts: Texts
  ) async throws -> [AccountActivity.Entry] {
    var (entries, end): ([AccountActivity.Entry], Date) = ([], .distantFuture)
    // Each round goes at least a day back. There are usually so few marks that one is enough.
    while entries.count < limit, end > now.addingTimeInterval(-SignInAttempt.retention - Self.day) {
      let marks = try await store.marks(of: account, before: end, limit: Self.mostOfDay)
      let isAll = marks.count < Self.mostOfDay
      let days = Dictionary(grouping: marks) { Self.start(of: $0.time) }.sorted { $0.key > $1.key }
      for (start, marks) in days {
        let isCut = !isAll && start == days.last?.key
        if let entry = Self.entry(marks, isCut: isCut, journeys, texts) { entries.append(entry) }
      }
      guard !isAll, let oldest = days.last?.key else { break }
      end = oldest
    }
    return Array(entries.prefix(limit))
  }

  private static func start(of time: Date) -> Date {
    Date(timeIntervalSince1970: (time.timeIntervalSince1970 / day).rounded(.down) * day)
  }

  /// - Parameter isCut: whether the day has more marks than these.
  private static func entry(
    _ marks: [SignInAttempt.Mark], isCut: Bool, _ journeys: Set<String>, _ texts: Texts
  ) -> AccountActivity.Entry? {
    let refused = marks.filter { $0.state == .failure }
    // If the day has more marks, the refused sign-ins may be among those that were not read.
    let counted = refused.isEmpty && isCut ? marks : refused
    guard let time = counted.map(\.time).max() else { return nil }
    let names = Set(counted.map(\.journey)).intersection(journeys).sorted()
    let places = Set(counted.compactMap(\.address)).sorted()
    let count = "\(counted.count)\(isCut ? "+" : "")"
    return AccountActivity.Entry(
      time: time,
      what: count == "1" ? texts["activity.session"] : texts["activity.attempts", ["count": count]],
      detail: list(names), place: list(places), isRefusal: !refused.isEmpty, isRefusedSignIn: true)
  }

  /// The first few names; `nil` without any.
  private static func list(_ names: [String]) -> String? {
    guard !names.isEmpty else { return nil }
    return (names.prefix(mostNames) + (names.count > mostNames ? ["…"] : [])).joined(separator: ", ")
  }
}
