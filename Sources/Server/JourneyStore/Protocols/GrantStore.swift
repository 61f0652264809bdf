public import BindingFormats
public import Foundation

/// What accounts have granted to OpenID Connect clients: codes, refresh tokens and decoupled sign-ins, with their consents.
///
/// Each decision that must happen once is one conditional write.
public protocol GrantStore: Sendable {
  /// Adds the grant, if its account is there and active and still has the id and the password that the grant names. Beyond
  /// ``GrantLimits/perAccount`` the account's oldest ones go. `false` when nothing was added.
  func openGrant(_ grant: GrantRecord) async throws -> Bool

  /// The grant, also when it has ended; `nil` when there is none.
  func grant(_ key: GrantKey) async throws -> GrantRecord?

  /// Uses the code, or the id of the decoupled sign-in, up: `true` for exactly one caller, and only while it is good.
  ///
  /// - Parameters:
  ///   - details: what the grant knows from then on.
  ///   - refreshHash: the first refresh token; `nil` for none.
  func redeemGrant(
    _ key: GrantKey, ticketHash: [UInt8], details: GrantDetails, refreshHash: [UInt8]?, now: Date
  ) async throws -> Bool

  /// Puts the next refresh token in the place of `oldHash`: `true` for exactly one caller, and only while the grant is good.
  func rotateGrant(_ key: GrantKey, oldHash: [UInt8], newHash: [UInt8], now: Date) async throws -> Bool

  /// Notes that the client has asked for the outcome of a decoupled sign-in: `false` when it has asked before `notBefore`.
  func pollGrant(_ key: GrantKey, notBefore: Date, now: Date) async throws -> Bool

  /// Ends the grant with all its tokens; `false` when it had ended.
  func endGrant(_ key: GrantKey, now: Date) async throws -> Bool

  /// Ends the grants that began in that session, and adds a notice for each client in `notified`, in one transaction.
  ///
  /// - Returns: how many have ended.
  func endGrants(
    of account: UniversalID, session: [UInt8]?, notified: Set<String>, now: Date
  ) async throws -> Int

  /// The account's grants that have not ended.
  func grants(of account: UniversalID, now: Date) async throws -> [GrantRecord]

  /// Lets the grants of a session go on in the session that has replaced it.
  func moveGrants(of account: UniversalID, from old: [UInt8], to new: [UInt8]) async throws

  /// The scopes that the account allows the client without being asked; `nil` when it was never asked.
  func consent(of account: UniversalID, client: String) async throws -> Set<String>?

  /// Notes what the account allows the client, if the account has the id; `nil` for whoever has the name.
  func setConsent(
    _ scopes: Set<String>, of account: UniversalID, id: String?, client: String, now: Date) async throws

  /// Takes notices whose time has come, at most `limit`, and puts off their next time, so that no other server takes them meanwhile:
  /// by 15 seconds, then by 75, 255, 555 and 975.
  func takeLogoutNotices(limit: Int, now: Date) async throws -> [LogoutNotice]

  /// Removes a notice that was delivered, or given up.
  func removeLogoutNotice(_ key: GrantKey) async throws

  /// Removes grants, used and unused, whose end is past, and notices nobody waits for.
  func removeExpiredGrants(now: Date) async throws
}

/// Bounds of ``GrantStore``.
public enum GrantLimits {
  /// Grants that an account can have at once.
  public static let perAccount = 200

  /// How long a logout notice is tried. Seconds.
  public static let noticeLife: TimeInterval = 3600
}
