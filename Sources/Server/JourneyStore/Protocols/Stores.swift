public import BindingFormats
public import Foundation

/// Accounts. Names compare without regard to case.
///
/// Each change is one write that sets what was asked for and nothing else; where a caller is given, the write throws
/// ``StoreError/unauthorized(_:)`` if its right is gone (``Caller``).
public protocol UserStore: Sendable {
  /// Adds the user. Throws ``StoreError/conflict(_:)`` when the name is taken in its realm.
  func createUser(_ user: UserRecord, by caller: Caller?) async throws

  /// The user of that name, or `nil`.
  func user(named username: String, realm: String) async throws -> UserRecord?

  /// Sets or takes one role, in one conditional write. A caller needs ``Capability/administrate`` over the realm, and grants nothing to its own
  /// account. A new role ends the account's sessions. Throws ``StoreError/lastAdministrator`` rather than leaving the root realm without an active administrator.
  func changeRole(_ change: RoleChange, by caller: Caller?) async throws -> RoleChangeOutcome

  /// Accounts of the realm that have a role, by name, as ``users(realm:after:limit:)``.
  func usersWithRoles(realm: String, after username: String?, limit: Int) async throws -> [UserRecord]

  /// Users of the realm, by name: at most `limit`, of those whose names come after `username`, whatever its case; `nil`
  /// begins with the first.
  func users(realm: String, after username: String?, limit: Int) async throws -> [UserRecord]

  /// Sets what the change names, and ends the sessions that it ends (``UserChange``), in one transaction. Throws
  /// ``StoreError/lastAdministrator`` rather than deactivating the root realm's last active administrator.
  func updateUser(_ change: UserChange) async throws -> UserChangeOutcome

  /// Stores the same password under a new hash, if the account still has the hash of `user`; whether it had.
  func renewPasswordHash(of user: UserRecord, to hash: String) async throws -> Bool

  /// How many accounts have a password hash of each kind: its beginning up to the salt.
  func passwordHashKinds() async throws -> [String: Int]

  /// Removes the user with all sessions, devices and lockout state, in one transaction; the removed record, or `nil`. Throws
  /// ``StoreError/lastAdministrator`` rather than removing the root realm's last active administrator.
  func deleteUser(named username: String, realm: String, by caller: Caller?) async throws -> UserRecord?
}

extension UserStore {
  /// Adds the user on the server's own account.
  public func createUser(_ user: UserRecord) async throws { try await createUser(user, by: nil) }

  /// Removes the user on the server's own account.
  public func deleteUser(named username: String, realm: String) async throws -> UserRecord? {
    try await deleteUser(named: username, realm: realm, by: nil)
  }
}

/// Bound devices.
public protocol BoundDeviceStore: Sendable {
  var boundDevices: any DeviceStore<BoundDeviceRecord> { get }

  /// Adds the device if the user still has fewer than `limit` (0 means no limit) and neither its `uuid` nor
  /// its `thumbprint` is already this user's: one conditional write. The user must exist.
  func addBoundDevice(_ device: BoundDeviceRecord, limit: DeviceLimit) async throws -> BoundDeviceAddition

  /// One device of the user, or `nil`.
  func boundDevice(uuid: String, of account: UniversalID) async throws -> BoundDeviceRecord?

  /// All that a proof by a bound key is judged by, in one visit of the store; `nil` when there is no such account.
  func signer(uuid: String, of account: UniversalID) async throws -> SignerRecord?
}

/// What became of ``BoundDeviceStore/addBoundDevice(_:limit:)``.
public enum BoundDeviceAddition: Sendable, Hashable {
  case added
  /// The proof that the device is bound by has been accepted before.
  case replayed
  case limitReached
  /// It was to be added only as the user's first factor, and is not.
  case notFirst
  /// The user already has a device with this `kid` or with this key.
  case duplicate
  case noSuchUser
}

/// Signed-in sessions, found by the hash of their token.
public protocol SessionStore: Sendable {
  /// Adds the session, with realm and name as the account has them, if there is such an account, it is active, and its password still is the
  /// one of `mark`: one conditional write, because who was deleted, deactivated or given another password meanwhile must not be left signed
  /// in. Throws ``StoreError/missing(_:)`` if not, and ``StoreError/conflict(_:)`` when token or handle are taken.
  ///
  /// - Parameter mark: the password that was right; `nil` when the session does not come of one.
  func createSession(_ session: SessionRecord, with mark: PasswordMark?) async throws

  /// Ends the session of `tokenHash` and adds `session`, as ``createSession(_:with:)`` does, in one write. Throws
  /// ``StoreError/missing(_:)``, and changes nothing, unless the first is alive at `now` and of the same account.
  func replaceSession(
    tokenHash: [UInt8], with session: SessionRecord, mark: PasswordMark?, now: Date) async throws

  /// The session, if it is stored, its account is active, and neither idle nor life has run out at `now`; others are
  /// treated as absent.
  func session(tokenHash: [UInt8], now: Date) async throws -> SessionRecord?

  /// Resets the idle time. `false` when there is no live session.
  func touchSession(tokenHash: [UInt8], now: Date) async throws -> Bool

  /// Ends one session; `false` when there was none.
  func deleteSession(tokenHash: [UInt8]) async throws -> Bool

  /// Ends the session of that handle; `false` when there was none.
  func deleteSession(handle: String) async throws -> Bool

  /// Ends all sessions of the user; how many.
  func deleteSessions(of account: UniversalID) async throws -> Int

  /// Live sessions of the user.
  func sessions(of account: UniversalID, now: Date) async throws -> [SessionRecord]
}

/// Facts that may become true once only: an `authId` answered, a challenge signed.
public protocol OnceStore: Sendable {
  /// Records `key` until `expiry`. `true` for exactly one caller; `false` when it was there already.
  /// This is one conditional write; it is durable when it returns.
  func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool
}

/// Long-lived secrets of the server, such as the one that seals `authId`; created on first use.
public protocol ServerSecretStore: Sendable {
  /// The secret of that name; `generate` is called, and its result stored, if there is none. All servers on one
  /// database get the same bytes.
  func secret(named name: String, generate: @Sendable () -> [UInt8]) async throws -> [UInt8]
}

/// Everything that a server keeps.
public protocol ServerStore: UserStore, BoundDeviceStore, PushStore, OathStore, RecoveryCodeStore,
  WebAuthnStore, FactorStore,
  SessionStore,
  OnceStore,
  LockoutStore, ServerSecretStore, EvidenceStore, ApplicationStore, TransactionStore, RealmStore
{
  /// Removes what has expired at `now`: sessions, consumed keys, push messages, failures of names without an account
  /// and of single known devices when the last try was a day or longer ago, and transactions that expired 30 days or longer ago. Called now and then
  /// by the server.
  func removeExpired(now: Date) async throws

  /// Waits for queued writes and closes.
  func close() async throws
}

/// Why the store could not do what was asked.
public enum StoreError: Error, Sendable, CustomStringConvertible {
  /// The name or id is taken.
  case conflict(String)
  /// What the record belongs to is not there.
  case missing(String)
  /// An account, application or realm has as much as it may.
  case exhausted(String)
  /// The database refused or cannot be reached; `detail` for the operator.
  case unavailable(String)
  /// The root realm would be left without an active administrator.
  case lastAdministrator
  /// Who asked for a change may not, or no longer; the reason is for the operator.
  case unauthorized(String)
  /// What is stored does not have the form it should; `detail` names the file, or the table and the row.
  case corrupt(String)

  public var description: String {
    switch self {
    case .conflict(let what): "already exists: \(what)"
    case .missing(let what): "does not exist: \(what)"
    case .lastAdministrator: "the last active administrator of the root realm stays"
    case .unauthorized(let reason): "not authorized: \(reason)"
    case .exhausted(let what): "a limit is reached: \(what)"
    case .unavailable(let detail): "the database is unavailable: \(detail)"
    case .corrupt(let detail): "what is stored is damaged: \(detail)"
    }
  }
}

extension SessionStore {
  /// Adds a session that does not come of a password.
  public func createSession(_ session: SessionRecord) async throws {
    try await createSession(session, with: nil)
  }

  /// Puts a session that does not come of a password in the place of another.
  public func replaceSession(tokenHash: [UInt8], with session: SessionRecord, now: Date) async throws {
    try await replaceSession(tokenHash: tokenHash, with: session, mark: nil, now: now)
  }
}
