package import BindingFormats
package import PasswordRules

/// Why an act on an account was refused.
package enum AccountRefusal: Error, Sendable, CustomStringConvertible {
  /// The actor is not allowed to do it; the text is for the operator.
  case forbidden(String)

  /// The actor must prove more first, by the realm's journey for that, if it has one.
  case stepUp(StepUpNeeded, of: UniversalID, journey: String? = nil)
  case noSuchUser

  /// The name is taken, or a value that must be unique.
  case conflict(String)
  case changedMeanwhile

  /// The current password is missing or wrong, or was changed meanwhile.
  case unproven

  /// A value is not allowed. The sentence is for its sender.
  case invalid(String)
  case schema([ManagedSchema.Failure])
  case password([PasswordPolicy.Fault])

  /// The root realm must keep an active administrator.
  case lastAdministrator

  package var description: String {
    switch self {
    case .forbidden(let cause): cause
    case .stepUp(let needed, let account, _): "acting on \(account.text) needs \(needed)"
    case .noSuchUser: "there is no such account"
    case .conflict(let what): what
    case .changedMeanwhile: "others keep changing the account; try again later"
    case .unproven: "the current password is missing or wrong, or the account is locked"
    case .invalid(let sentence): sentence
    case .schema(let failures):
      "the schema refuses "
        + failures.map { "\($0.attribute) (\($0.requirement))" }.joined(separator: ", ")
    case .password(let faults): faults.map(\.description).joined(separator: " ")
    case .lastAdministrator: "the root realm keeps at least one active administrator"
    }
  }
}
