internal import Concurrency
internal import Foundation
internal import JOSE
internal import StrictJSON

/// The token that identifies the sender to Apple: ES256 over the team's id and the time.
struct ProviderToken: Sendable {
  /// The longest age in seconds. Apple refuses tokens older than an hour; this leaves time for the requests under way.
  private static let longestAge: TimeInterval = 50 * 60

  /// The shortest age in seconds. Apple refuses senders that change their token more often.
  private static let shortestAge: TimeInterval = 20 * 60

  private struct Made: Sendable {
    let text: String
    let at: Date
  }

  let configuration: APNsConfiguration
  let clock: @Sendable () -> Date
  private let current = Locked<Made?>(nil)
  private let making = AsyncMutex()

  /// The token for the next request.
  func text() async throws -> String {
    try await making.withLock { try await currentOrNew(clock()) }
  }

  /// A new token after Apple called `expired` too old; `nil` when that one is too young to be replaced, which means that the
  /// clocks differ.
  func text(after expired: String) async throws -> String? {
    try await making.withLock {
      let now = clock()
      guard let made = current.withLock({ $0 }), made.text == expired else {
        return try await currentOrNew(now)
      }
      guard now.timeIntervalSince(made.at) >= Self.shortestAge else { return nil }
      return try await make(now)
    }
  }

  private func currentOrNew(_ now: Date) async throws -> String {
    if let made = current.withLock({ $0 }), (0..<Self.longestAge).contains(now.timeIntervalSince(made.at)) {
      return made.text
    }
    return try await make(now)
  }

  private func make(_ now: Date) async throws -> String {
    let text = try await JWS.compact(
      header: JWSHeader(algorithm: .es256, keyID: configuration.keyID),
      claims: ["iss": .string(configuration.teamID), "iat": .integer(Int64(now.timeIntervalSince1970))],
      signer: P256Signer(privateKey: configuration.key))
    current.withLock { $0 = Made(text: text, at: now) }
    return text
  }
}
