public import BindingFormats
public import Foundation

/// Signed-in sessions, found by the hash of their token.
public protocol SessionStore: Sendable {
  /// Makes a session for the active account that its record names, ends the account's oldest sessions beyond
  /// ``StoreQuotas/sessionsPerAccount``, and makes what has proven the person count: all in one write, durable when this returns.
  ///
  /// - Parameter proof: `nil` when nothing is left to be stored of it.
  /// - Throws: ``ProofNotAccepted`` when the proof does not count; ``StoreError/missing(_:)`` when there is no such account, it is
  ///   inactive, another one by now or has another password, or the session to be replaced has ended. Nothing was stored then.
  func openSession(_ session: NewSession, by proof: SessionProof?) async throws -> ProvenSession

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
  /// Makes a session.
  ///
  /// - Parameters:
  ///   - mark: The account, and the password that was right; `nil` when none was asked for.
  ///   - step: What is remembered longer in the same write.
  /// - Returns: the account as it was when the session began.
  @discardableResult
  public func createSession(
    _ session: SessionRecord, with mark: PasswordMark? = nil, prolonging step: OnceKey? = nil
  ) async throws -> UserRecord {
    try await openSession(
      NewSession(session, mark: mark, now: session.createdAt, prolonging: step), by: nil
    ).user
  }

  /// The same in place of the live session of `tokenHash`, which must be the same account's.
  @discardableResult
  public func replaceSession(
    tokenHash: [UInt8], with session: SessionRecord, mark: PasswordMark? = nil, now: Date,
    prolonging step: OnceKey? = nil
  ) async throws -> UserRecord {
    try await openSession(
      NewSession(session, mark: mark, replacing: tokenHash, now: now, prolonging: step), by: nil
    ).user
  }
}
