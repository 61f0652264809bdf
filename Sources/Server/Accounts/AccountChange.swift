package import JourneyStore
package import StrictJSON

/// What somebody wants an account to have; members that are `nil` stay as they are.
package struct AccountChange: Sendable {
  package enum Attributes: Sendable {
    /// As they are.
    case unchanged

    /// All of them. What the server keeps for itself stays, and what the owner may not change.
    case replacing(JSONObject)

    /// Those named; `null` removes one.
    case setting(JSONObject)
  }

  package var attributes = Attributes.unchanged
  package var mail: [String]?
  package var password: String?

  /// The version of the password that a run has proven before: the change is made only while that is still the account's.
  package var provenPassword: Int?

  /// Proves the current password of a session's own account, after everything else has been found right; the version of it, or `nil` when it is
  /// wrong. Wrong ones are counted there.
  package var proof: (@Sendable (UserRecord) async throws -> Int?)?
  package var isActive: Bool?
  package var mustChangePassword: Bool?
  package var passwordExpiry: UserChange.Expiry?

  /// The ``UserRecord/revision`` that the account must still have; `nil` for any.
  package var revision: Int?

  /// Whether the account must be active.
  package var requiresActive = false

  /// Whether only what the schema lets owners change may be set, whoever asks.
  package var isAsOwner = false

  package init() {}
}
