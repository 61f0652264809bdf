public import Foundation
public import StrictJSON

/// What one write sets in an account; members that are `nil` leave the stored value.
///
/// A new password ends the account's other sessions in the same write; `isActive` `false` ends all of them, the caller's own included.
/// Either also ends the grants of clients and cookies by which browsers sign in again, for good: they name the
/// ``UserRecord/passwordVersion`` at which they were issued.
public struct UserChange: Sendable {
  /// A password that takes the place of the present one.
  public struct Password: Sendable {
    /// The hash to store.
    public var hash: String

    /// The ``UserRecord/passwordVersion`` of the password that was checked before: the change is made only while that is
    /// still the account's password. `nil` for administrators, who need not know it.
    public var checkedVersion: Int?

    public init(hash: String, checkedVersion: Int? = nil) {
      self.hash = hash
      self.checkedVersion = checkedVersion
    }
  }

  /// The end of a password's life.
  public enum Expiry: Sendable, Hashable {
    case never
    case at(Date)
  }

  public var realm: String
  public var username: String

  /// The ``UserRecord/id`` of the account that was looked at: another one that took its name meanwhile is not changed.
  public var accountID: String

  /// The caller, checked again in the write; `nil` for the server itself.
  public var caller: Caller?

  /// Whether the account must still be active.
  public var requiresActive = false

  /// The ``UserRecord/revision`` that the account must still have; `nil` for any.
  public var revision: Int?

  public var mail: [String]?
  public var attributes: JSONObject?
  public var isActive: Bool?
  public var password: Password?
  public var mustChangePassword: Bool?
  public var passwordExpiry: Expiry?

  public init(realm: String, username: String, accountID: String, caller: Caller? = nil) {
    self.realm = realm
    self.username = username
    self.accountID = accountID
    self.caller = caller
  }

  /// A change of the account as it was read.
  public init(of user: UserRecord, caller: Caller? = nil) {
    self.init(realm: user.realm, username: user.username, accountID: user.id, caller: caller)
  }
}

/// The outcome of a ``UserChange``.
public enum UserChangeOutcome: Sendable, Hashable {
  /// The record after the change.
  case changed(UserRecord)

  /// The account is gone, is another one by now, or is inactive where it must be active.
  case noSuchUser

  /// The account has another password than the one that was checked.
  case passwordChanged

  /// The account was changed by somebody else since it was read.
  case revisionChanged
}
