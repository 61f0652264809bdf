internal import BindingFormats
public import Bytes
internal import Crypto
public import Foundation
public import JourneyStore

/// Remembers, in a cookie, that a browser or app has signed an account in before, so that its tries are counted separately:
/// guessing from elsewhere does not lock out the devices that the owner uses.
///
/// The cookie proves nothing else. It has one token for each of the last accounts, authenticated under a secret of the
/// server over realm, account, a random id of the device, the moment of the sign-in, and the account's password: a new
/// password ends all of them. (OWASP calls these device cookies.)
public struct KnownDevices: Sendable, Redacted {
  /// The cookie's name.
  public let cookieName: String

  /// Returns the key that makes tokens, then earlier keys, whose tokens are still valid.
  private let keys: @Sendable () -> [SymmetricKey]

  /// How long a token is valid after its sign-in. Seconds: 90 days.
  public static let lifetime: TimeInterval = 90 * 86_400

  /// Accounts that one browser is known to.
  private static let maximumTokens = 5

  /// - Parameters:
  ///   - secret: 32 bytes or more, the same on all servers of a database.
  ///   - isHostOnly: whether the name has the prefix `__Host-`, which browsers take only for `Secure` and `Path=/`.
  public init(secret: [UInt8], isHostOnly: Bool = false) {
    self.init(secrets: { [secret] }, isHostOnly: isHostOnly)
  }

  /// Creates the same with secrets that are rotated.
  ///
  /// - Parameter secrets: returns the secret that makes tokens, then earlier ones, whose tokens are still valid; called each time.
  public init(secrets: @escaping @Sendable () -> [[UInt8]], isHostOnly: Bool = false) {
    keys = { secrets().map { SymmetricKey(data: $0) } }
    cookieName = (isHostOnly ? "__Host-" : "") + "sealring-device"
  }

  /// Whether a `Cookie` header has a known-device cookie.
  func areNamed(in cookies: String?) -> Bool { cookies?.contains(cookieName) ?? false }

  /// The device that has signed `user` in before, by the token for that account in a request's `Cookie` header.
  ///
  /// - Returns: the device's id; `nil` without a valid token, and for unknown names.
  public func device(of user: UserRecord?, cookies: String?, now: Date) -> String? {
    guard let user else { return nil }
    return tokens(in: cookies).lazy.compactMap { token($0, isOf: user, now: now) }.first
  }

  /// The cookie's value after `user` has signed in: a new token for the account, then those for other accounts.
  ///
  /// - Parameter cookies: the request's `Cookie` header, whose device stays the same one.
  public func value(
    for user: UserRecord, cookies: String?, now: Date, randomBytes: (Int) -> [UInt8]
  ) -> String {
    let old = tokens(in: cookies).map { (text: $0, device: token($0, isOf: user, now: now)) }
    let device = old.lazy.compactMap(\.device).first ?? Base64URL.encode(randomBytes(16))
    let issued = String(Int64(now.timeIntervalSince1970))
    let others = old.lazy.filter { $0.device == nil }.map(\.text)
    let new = keys().first.map { key in
      let mac = HMAC<SHA256>.authenticationCode(for: message(of: user, device, issued), using: key)
      return "\(device).\(issued).\(Base64URL.encode(mac.withUnsafeBytes(Array.init)))"
    }
    return ((new.map { [$0] } ?? []) + others.prefix(Self.maximumTokens - 1))
      .joined(separator: "~")
  }

  /// The texts of the cookie, unverified. Texts that cannot be tokens are left out, because the rest is set again.
  private func tokens(in cookies: String?) -> [String] {
    guard let cookie = CookieHeader(cookies)[cookieName] else { return [] }
    // Split by bytes, because a combining mark after a separator is one Character with it.
    return cookie.utf8.split(separator: UInt8(ascii: "~")).prefix(Self.maximumTokens)
      .filter { $0.count <= 128 && $0.allSatisfy(PercentEncoding.isUnreserved) }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The device's id when the token is this account's and still good.
  private func token(_ token: String, isOf user: UserRecord, now: Date) -> String? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let mac = Base64URL.decode(parts[2]), let issued = Int64(parts[1]) else {
      return nil
    }
    let message = message(of: user, parts[0], parts[1])
    guard
      keys().contains(where: { key in
        HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: message, using: key)
      })
    else { return nil }
    let age = now.timeIntervalSince1970 - TimeInterval(issued)
    return age < Self.lifetime ? parts[0] : nil
  }

  private func message(of user: UserRecord, _ device: String, _ issued: String) -> [UInt8] {
    [
      "known device", NameKey.folded(user.realm), NameKey.folded(user.username), device, issued,
      // Not the password's hash, which is renewed when its cost changes.
      user.id, String(user.passwordVersion),
    ].lengthPrefixed
  }
}
