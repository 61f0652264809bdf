public import BindingFormats
public import Foundation
public import StrictJSON

/// A person or service with an account in one realm.
public struct UserRecord: Sendable, Hashable {
  /// Tells this account from another that had, or will have, its name.
  public var id: String

  /// The realm's name as in ``RealmName``, for example `alpha`.
  public var realm: String

  /// The login name as given at creation. Unique in its realm without regard to case; also the REST `_id`.
  public var username: String

  /// The password in the PHC string form of Argon2id (`$argon2id$v=19$…`); `nil` means no password works.
  public var passwordHash: String?

  /// How many times the password was replaced, all other sessions were ended, the account was deactivated, or got a role. Clients' grants,
  /// cookies by which browsers sign in again and journeys under way name the number that they began with, and end when it changes. A new
  /// hash of the same password does not count.
  public var passwordVersion: Int

  /// Whether an administrator set the password, so that the person must choose another. Directory servers call this
  /// `pwdReset`.
  public var mustChangePassword: Bool

  /// End of the password's life; `nil` when there is none. Directory servers call this
  /// `ds-pwp-password-expiration-time`.
  public var passwordExpiry: Date?

  /// Whether the account may sign in; REST shows `inetUserStatus` `Active` or `Inactive`.
  public var isActive: Bool

  /// What the account may do with others (REST administration).
  public var roles: Set<AccountRole>

  /// Whether ``roles`` has ``AccountRole/administrator``.
  public var isAdministrator: Bool {
    get { roles.contains(.administrator) }
    set { if newValue { roles.insert(.administrator) } else { roles.remove(.administrator) } }
  }

  /// Mail addresses, first one preferred.
  public var mail: [String]

  /// Further attributes, kept as given.
  public var attributes: JSONObject

  public var createdAt: Date

  /// Grows with every change of the account.
  public var revision: Int

  public init(
    realm: String, username: String, passwordHash: String? = nil, isActive: Bool = true,
    isAdministrator: Bool = false, mail: [String] = [], attributes: JSONObject = JSONObject(),
    createdAt: Date, id: String = UUID().uuidString, passwordVersion: Int = 0,
    mustChangePassword: Bool = false, passwordExpiry: Date? = nil, roles: Set<AccountRole> = [],
    revision: Int = 0
  ) {
    self.id = id
    self.realm = realm
    self.username = username
    self.passwordHash = passwordHash
    self.passwordVersion = passwordVersion
    self.mustChangePassword = mustChangePassword
    self.passwordExpiry = passwordExpiry
    self.isActive = isActive
    self.roles = isAdministrator ? roles.union([.administrator]) : roles
    self.mail = mail
    self.attributes = attributes
    self.createdAt = createdAt
    self.revision = revision
  }

  /// The universal id in PingAM's form, sent as `userId` and signed as `sub`:
  /// `id=NAME,ou=user,o=alpha,ou=services,ou=am-config`, in the root realm `id=NAME,ou=user,ou=am-config`.
  public var universalID: String { UniversalID(username: username, realm: realm).text }
}

extension UserRecord {
  public var account: UniversalID { UniversalID(username: username, realm: realm) }
}

/// The account, and which of its passwords was right. The write that opens a session checks that this is still the account's password: a
/// run that had accepted the password when it was reset ends without a session.
public struct PasswordMark: Sendable, Hashable {
  /// ``UserRecord/id``.
  public let accountID: String

  /// ``UserRecord/passwordVersion``.
  public let version: Int

  public init(accountID: String, version: Int) {
    self.accountID = accountID
    self.version = version
  }

  /// The mark of the account's password as it is in `user`.
  public init(_ user: UserRecord) { self.init(accountID: user.id, version: user.passwordVersion) }

  /// Reads what ``text`` wrote; `nil` for anything else.
  public init?(text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let version = Int(parts[0]) else { return nil }
    self.init(accountID: String(parts[1]), version: version)
  }

  /// The mark as one text, which a journey carries along.
  public var text: String { "\(version) \(accountID)" }
}
