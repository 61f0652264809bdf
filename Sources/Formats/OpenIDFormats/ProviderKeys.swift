internal import Concurrency
public import Foundation

/// A provider's signing keys, fetched when they are needed and then remembered for a while.
///
/// A key that is not among them may be a new one: then they are fetched once more, but not more often than every
/// ``interval`` seconds, so that tokens with made-up key ids cannot make this program call the provider again and again. After
/// ``lifetime`` they are fetched anew in any case: a key that the provider has withdrawn is then no longer accepted.
public actor ProviderKeys {
  private struct Fetched {
    let keys: SigningKeySet
    let time: Date
  }

  /// The shortest time between two fetches for unknown keys. Seconds.
  public static let interval: TimeInterval = 30
  /// How long keys are accepted. Seconds.
  public static let lifetime: TimeInterval = 600

  private var fetched: Fetched?
  /// When an unknown key last caused a fetch.
  private var lastExtra: Date?
  private let mutex = AsyncMutex()

  public init() {}

  /// Verifies an ID token with the provider's keys.
  ///
  /// - Parameter fetch: gets the document of keys from the provider.
  /// - Throws: what `fetch` throws, and ``OpenIDError``.
  public func verify(
    _ compact: String, expecting expected: IDTokenExpectations, now: Date,
    fetch: @Sendable () async throws -> [UInt8]
  ) async throws -> IDToken {
    let remembered = self.remembered(now)
    let keys = if let remembered { remembered } else { try await refresh(now, after: nil, fetch) }
    do {
      return try IDToken(compact, keys: keys, expecting: expected, now: now)
    } catch {
      guard error.code == .unknownKey, remembered != nil, mayFetchAgain(now) else { throw error }
    }
    let newer = try await refresh(now, after: keys, fetch)
    return try IDToken(compact, keys: newer, expecting: expected, now: now)
  }

  /// The keys, unless they are too old. A clock that was set back must not keep old keys alive.
  private func remembered(_ now: Date) -> SigningKeySet? {
    guard let fetched, (0..<Self.lifetime).contains(now.timeIntervalSince(fetched.time)) else { return nil }
    return fetched.keys
  }

  private func mayFetchAgain(_ now: Date) -> Bool {
    guard let lastExtra else { return true }
    return !(0..<Self.interval).contains(now.timeIntervalSince(lastExtra))
  }

  /// Fetches the keys, unless another call has done so while this one waited.
  ///
  /// - Parameter old: the keys that were not enough; `nil` when there were none.
  private func refresh(
    _ now: Date, after old: SigningKeySet?, _ fetch: @Sendable () async throws -> [UInt8]
  ) async throws -> SigningKeySet {
    try await mutex.withLock {
      if let remembered = remembered(now), remembered != old { return remembered }
      if old != nil {
        guard mayFetchAgain(now) else { return old ?? SigningKeySet([]) }
        lastExtra = now
      }
      let keys = try SigningKeySet(parsing: try await fetch())
      fetched = Fetched(keys: keys, time: now)
      return keys
    }
  }
}
