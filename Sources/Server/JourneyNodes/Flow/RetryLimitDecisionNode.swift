internal import Accounts
internal import Bytes
internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// Lets the person try again until the limit: `Retry` that many times, then `Reject`.
///
/// With `incrementUserAttributeOnFailure`, tries also count across journeys for the journey's account. That count is forgotten an hour
/// after its last try, because anybody can try any name.
struct RetryLimitDecisionNode: JourneyNode {
  /// Where an account has the counts across journeys.
  static let storedKey = ManagedAttribute.retryCount

  /// How long a count across journeys is remembered. Milliseconds.
  static let memory: Int64 = 3_600_000

  /// Counts of one account; beyond this the oldest is removed.
  private static let mostCounts = 20

  let outcomes = ["Retry", "Reject"]
  private let services: NodeServices
  private let limit: Int64
  private let countsForUser: Bool

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    limit = Int64(try definition.integer("retryLimit", default: 3, in: 0...1000, clamping: .both))
    countsForUser = try definition.flag("incrementUserAttributeOnFailure", default: true, instead: true)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let variable = "\(context.nodeID).retryCount"
    let tries = (context.state.shared[variable]?.integerValue ?? 0) + 1
    context.state.shared[variable] = .integer(tries)
    let all = max(tries, try await stored(&context) ?? 0)
    return all <= limit
      ? .outcome("Retry")
      : context.outcome("Reject", because: "there were \(all) tries, and the limit is \(limit)")
  }

  /// Counts one more try of the account; `nil` when there is none, or it is not counted.
  private func stored(_ context: inout NodeContext) async throws -> Int64? {
    guard countsForUser, let user = try await services.identity(in: &context, by: ManagedAttribute.userName)
    else { return nil }
    let (name, now) = ("\(context.journey)/\(context.nodeID)", services.clock().millisecondsSince1970)
    let changed = try await ManagedUsers(services).keep(Self.storedKey, of: user) { present in
      var counts = JSONObject(
        (present?.objectValue ?? JSONObject()).lazy.filter {
          now - ($0.value["at"]?.integerValue ?? 0) < Self.memory
        }
        .map { ($0.name, $0.value) })
      let count = min(limit, counts[name]?["count"]?.integerValue ?? 0) + 1
      counts[name] = ["count": .integer(count), "at": .integer(now)]
      while counts.count > Self.mostCounts,
        let oldest = counts.min(by: {
          ($0.value["at"]?.integerValue ?? 0) < ($1.value["at"]?.integerValue ?? 0)
        })
      {
        counts[oldest.name] = nil
      }
      return .object(counts)
    }
    return changed?.attributes[Self.storedKey]?[name]?["count"]?.integerValue
  }
}
