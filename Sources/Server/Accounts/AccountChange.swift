package import JourneyStore
package import StrictJSON

/// A wanted change of an account; members that are `nil` stay unchanged.
package struct AccountChange: Sendable {
  package enum Attributes: Sendable {
    /// Leaves the attributes as they are.
    case unchanged

    /// Replaces all attributes, except those that the server keeps for itself and those that the owner may not change.
    case replacing(JSONObject)

    /// Sets the named attributes; `null` removes one.
    case setting(JSONObject)
  }

  package var attributes = Attributes.unchanged
  package var mail: [String]?
  package var password: String?

  /// The version of the password that a run has proven. The change is made only while the account still has it.
  package var provenPassword: Int?

  /// Checks the current password of a session's own account, after all other checks. Returns its version, or `nil` when it is wrong. Wrong
  /// passwords are counted.
  package var proof: (@Sendable (UserRecord) async throws -> Int?)?
  package var isActive: Bool?
  package var mustChangePassword: Bool?
  package var passwordExpiry: UserChange.Expiry?

  /// The ``UserRecord/revision`` that the account must still have; `nil` for any.
  package var revision: Int?

  /// Whether the account must be active.
  package var requiresActive = false

  /// Whether only attributes that the schema lets owners change may be set, for any actor.
  package var isAsOwner = false

  package init() {}
}
