/// What an account may do with other accounts of its realm; in the root realm, with accounts of all realms.
///
/// An account may have several roles. An account without roles is ordinary: it acts only on itself.
public enum AccountRole: String, Sendable, Hashable, CaseIterable {
  /// Everything.
  case administrator

  /// Helps people with ordinary accounts: new passwords, locks, sessions, lost devices.
  case helpDesk = "helpdesk"

  /// Reads accounts, devices, sessions, evidence and decisions. Changes nothing.
  case auditor

  /// What the role allows.
  public var capabilities: Set<Capability> {
    switch self {
    case .administrator: Set(Capability.allCases)
    case .helpDesk: [.readAccounts, .readFactors, .support]
    case .auditor: [.readAccounts, .readFactors, .readAudit, .readConfiguration]
    }
  }
}

/// Something that only some roles allow.
public enum Capability: Sendable, Hashable, CaseIterable {
  /// List a realm's accounts, and read one.
  case readAccounts

  /// Read an account's devices and sessions.
  case readFactors

  /// Read evidence and push decisions.
  case readAudit

  /// Read applications, journeys, realms and delivery counters.
  case readConfiguration

  /// Help an account: reset its password, end its sessions and locks, remove its devices.
  case support

  /// Change everything else.
  case administrate

  /// Whether an account with `roles` has the capability over an account with the roles `target`, which is `nil` for what concerns no
  /// account.
  ///
  /// The help desk acts only on ordinary accounts: with a new password for an administrator, an auditor or a colleague it would gain their
  /// access.
  public func isGranted(to roles: Set<AccountRole>, over target: Set<AccountRole>?) -> Bool {
    roles.contains { role in
      guard role.capabilities.contains(self) else { return false }
      let isBounded = role == .helpDesk && (self == .support || self == .readFactors)
      return !isBounded || target?.isEmpty ?? true
    }
  }
}

/// One role that an account gets or loses.
public struct RoleChange: Sendable, Hashable {
  public var realm: String
  public var username: String
  public var role: AccountRole

  /// Whether the account gets the role; else it loses it.
  public var isGrant: Bool

  public init(_ role: AccountRole, isGrant: Bool, username: String, realm: String) {
    self.realm = realm
    self.username = username
    self.role = role
    self.isGrant = isGrant
  }
}

/// The outcome of a ``RoleChange``.
public enum RoleChangeOutcome: Sendable, Hashable {
  /// The record after the change. `isNew` is `false` when the change was in effect before.
  case changed(UserRecord, isNew: Bool)

  case noSuchUser
}
