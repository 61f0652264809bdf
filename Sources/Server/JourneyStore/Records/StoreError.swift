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
