internal import BindingFormats
internal import Foundation
internal import JourneyStore
internal import PageTemplates

/// The refused sign-ins of an account, for its owner.
///
/// Anybody can have sign-ins refused in somebody's name, as many as they like. So those of a day are one entry, which crowds nothing out; and
/// of an attempt only the time and the name of a journey that this server has is shown: its other texts are for operators.
struct RefusedSignIns: Sendable {
  let store: any ActivityStore

  /// The latest runs that are looked at, refused or not.
  static let most = 100

  /// Journeys that an entry names.
  private static let mostNames = 3

  /// One entry a day (UTC), the latest first.
  ///
  /// - Parameter journeys: names that may be shown.
  func entries(
    of account: UniversalID, journeys: Set<String>, _ texts: Texts
  ) async throws -> [AccountActivity.Entry] {
    let latest = try await store.attempts(of: account, limit: Self.most)
    let days = Dictionary(grouping: latest.filter { $0.state == .failure }) { attempt in
      Int((attempt.latest.timeIntervalSince1970 / 86_400).rounded(.down))
    }
    return days.sorted { $0.key > $1.key }.compactMap { _, attempts in
      guard let time = attempts.map(\.latest).max() else { return nil }
      let names = Set(attempts.map(\.journey)).intersection(journeys).sorted()
      let more = names.count > Self.mostNames ? ["…"] : []
      // Earlier ones of the oldest day may be beyond what was looked at.
      let count = latest.count == Self.most ? "\(attempts.count)+" : "\(attempts.count)"
      return AccountActivity.Entry(
        time: time,
        what: attempts.count == 1 ? texts["activity.session"] : texts["activity.attempts", ["count": count]],
        detail: names.isEmpty ? nil : (names.prefix(Self.mostNames) + more).joined(separator: ", "),
        isRefusal: true, isRefusedSignIn: true)
    }
  }
}
