public import BindingFormats
public import Foundation

/// Signed-in sessions, found by the hash of their token.
public protocol SessionStore: Sendable {
  /// Adds the session, with realm and name as the account has them, if there is such an account, it is active, and its password still is the
  /// one of `mark`: one conditional write, because who was deleted, deactivated or given another password meanwhile must not be left signed
  /// in. Throws ``StoreError/missing(_:)`` if not, and ``StoreError/conflict(_:)`` when token or handle are taken.
  ///
  /// - Parameters:
  ///   - mark: the password that was right; `nil` when the session does not come of one.
  ///   - step: prolonged in the same write, as ``OnceStore/prolong(_:until:)`` does: the consumed step whose answer makes the session.
  /// - Returns: the account as it was in that write.
  @discardableResult
  func createSession(
    _ session: SessionRecord, with mark: PasswordMark?, prolonging step: OnceKey?
  ) async throws -> UserRecord

  /// Ends the session of `tokenHash` and adds `session`, as ``createSession(_:with:prolonging:)`` does, in one write. Throws
  /// ``StoreError/missing(_:)``, and changes nothing, unless the first is alive at `now` and of the same account.
  ///
  /// - Returns: the account as it was in that write.
  @discardableResult
  func replaceSession(
    tokenHash: [UInt8], with session: SessionRecord, mark: PasswordMark?, now: Date, prolonging step: OnceKey?
  ) async throws -> UserRecord

  /// The session, if it is stored, its account is active, and neither idle nor life has run out at `now`; others are
  /// treated as absent.
  func session(tokenHash: [UInt8], now: Date) async throws -> SessionRecord?

  /// Resets the idle time. `false` when there is no live session.
  func touchSession(tokenHash: [UInt8], now: Date) async throws -> Bool

  /// Ends one session; `false` when there was none.
  func deleteSession(tokenHash: [UInt8]) async throws -> Bool

  /// The session of that handle, also one that has just expired; `nil` when there is none.
  func session(handle: String) async throws -> SessionRecord?

  /// Ends the session of that handle; `false` when there was none.
  func deleteSession(handle: String) async throws -> Bool

  /// Ends all sessions of the user; how many.
  func deleteSessions(of account: UniversalID) async throws -> Int

  /// Live sessions of the user.
  func sessions(of account: UniversalID, now: Date) async throws -> [SessionRecord]
}

extension SessionStore {
  /// Adds a session that comes of no step.
  @discardableResult
  public func createSession(_ session: SessionRecord, with mark: PasswordMark? = nil) async throws
    -> UserRecord
  {
    try await createSession(session, with: mark, prolonging: nil)
  }

  /// Puts a session that comes of no step in the place of another.
  @discardableResult
  public func replaceSession(
    tokenHash: [UInt8], with session: SessionRecord, mark: PasswordMark? = nil, now: Date
  ) async throws -> UserRecord {
    try await replaceSession(tokenHash: tokenHash, with: session, mark: mark, now: now, prolonging: nil)
  }
}
