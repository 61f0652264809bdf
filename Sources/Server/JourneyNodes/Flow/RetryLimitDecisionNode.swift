internal import Accounts
internal import Bytes
internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

extension NodeDefinition {
  /// Lets the person try again until the limit: `Retry` that many times, then `Reject`.
  ///
  /// With `incrementUserAttributeOnFailure`, tries also count across journeys for the journey's account. That count is forgotten an hour
  /// after its last try, because anybody can try any name.
  func retryLimitDecisionNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let limit = Int64(try integer("retryLimit", default: 3, in: 0...1000, clamping: .both))
    let countsForUser = try flag("incrementUserAttributeOnFailure", default: true, instead: true)
    return PlainNode(outcomes: ["Retry", "Reject"]) { context in
      let variable = "\(context.nodeID).retryCount"
      let tries = min(limit, context.state.shared[variable]?.integerValue ?? 0) + 1
      context.state.shared[variable] = .integer(tries)
      let stored = countsForUser ? try await services.countTry(in: &context, limit: limit) : nil
      let all = max(tries, stored ?? 0)
      return all <= limit
        ? .outcome("Retry")
        : context.outcome("Reject", because: "there were \(all) tries, and the limit is \(limit)")
    }
  }
}

extension NodeServices {
  /// How long a count across journeys is remembered. Milliseconds.
  private static let retryMemory: Int64 = 3_600_000

  /// Counts of one account; beyond this the oldest is removed.
  private static let mostRetryCounts = 20

  /// Counts one more try of the account across journeys, and returns the count; `nil` when there is no such account.
  fileprivate func countTry(in context: inout NodeContext, limit: Int64) async throws -> Int64? {
    guard let user = try await identity(in: &context, by: ManagedAttribute.userName) else { return nil }
    let (name, now) = ("\(context.journey)/\(context.nodeID)", clock().millisecondsSince1970)
    let changed = try await ManagedUsers(self).keep(ManagedAttribute.retryCount, of: user) { present in
      var counts = JSONObject(
        (present?.objectValue ?? JSONObject()).lazy.filter {
          ($0.value["at"]?.integerValue ?? 0) > now - Self.retryMemory
        }
        .map { ($0.name, $0.value) })
      let count = min(limit, counts[name]?["count"]?.integerValue ?? 0) + 1
      counts[name] = ["count": .integer(count), "at": .integer(now)]
      while counts.count > Self.mostRetryCounts,
        let oldest = counts.min(by: {
          ($0.value["at"]?.integerValue ?? 0) < ($1.value["at"]?.integerValue ?? 0)
        })
      {
        counts[oldest.name] = nil
      }
      return .object(counts)
    }
    return changed?.attributes[ManagedAttribute.retryCount]?[name]?["count"]?.integerValue
  }
}
