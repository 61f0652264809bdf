internal import Concurrency
internal import Crypto
internal import Foundation
internal import JOSE
internal import StrictJSON

/// Tells push services who the sender is (RFC 8292). One token serves all messages to an origin until it is replaced.
struct VAPID: Sendable {
  /// The lifetime of a token in seconds; the standard allows 24 hours.
  private static let lifetime: TimeInterval = 12 * 3600

  /// The seconds before its expiry at which a token is replaced.
  private static let reserve: TimeInterval = 3600

  private static let mostOrigins = 1000

  private struct Made: Sendable {
    let header: String
    let expiresAt: Date
  }

  let configuration: WebPushConfiguration
  private let made = Locked<[String: Made]>([:])

  /// The `Authorization` header for requests to the origin.
  func authorization(for origin: String, now: Date) async throws -> String {
    if let known = made.withLock({ $0[origin] }), known.expiresAt > now + Self.reserve,
      known.expiresAt <= now + Self.lifetime
    {
      return known.header
    }
    let expiresAt = now + Self.lifetime
    let token = try await JWS.compact(
      header: JWSHeader(algorithm: .es256, type: "JWT"),
      claims: [
        "aud": .string(origin), "exp": .integer(Int64(expiresAt.timeIntervalSince1970)),
        "sub": .string(configuration.contact),
      ], signer: P256Signer(privateKey: configuration.key))
    let header = "vapid t=\(token), k=\(configuration.applicationServerKey)"
    made.withLock { made in
      // Devices choose the origins, so their number is bounded.
      if made.count >= Self.mostOrigins { made.removeAll() }
      made[origin] = Made(header: header, expiresAt: expiresAt)
    }
    return header
  }
}
