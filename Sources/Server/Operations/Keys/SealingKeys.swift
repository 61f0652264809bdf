internal import Concurrency
package import JourneyEngine

/// The sealing keys of the server's secrets, derived once for the secrets that count at the moment.
package final class SealingKeys: Sendable {
  private struct Derived: Sendable {
    var secrets: [[UInt8]] = []
    var keys: [SealingKey] = []
  }

  private let latest = Locked(Derived())

  package init() {}

  /// The keys of `secrets`, in their order.
  package func keys(of secrets: [[UInt8]]) -> [SealingKey] {
    latest.withLock { derived in
      if derived.secrets != secrets {
        derived = Derived(secrets: secrets, keys: secrets.map { SealingKey(serverSecret: $0) })
      }
      return derived.keys
    }
  }
}
