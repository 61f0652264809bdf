/// The reason why the store could not do what was asked.
public enum StoreError: Error, Sendable, CustomStringConvertible {
  /// The name or id is taken.
  case conflict(String)
  /// What the record belongs to does not exist.
  case missing(String)
  /// An account, application or realm has reached its limit.
  case exhausted(String)
  /// The database refused or cannot be reached; `detail` for the operator.
  case unavailable(String)
  /// The root realm would be left without an active administrator.
  case lastAdministrator
  /// The caller may not make the change, or may no longer; the reason is for the operator.
  case unauthorized(String)
  /// Stored data does not have the expected form; `detail` names the file, or the table and the row.
  case corrupt(String)

  public var description: String {
    switch self {
    case .conflict(let what): "already exists: \(what)"
    case .missing(let what): "does not exist: \(what)"
    case .lastAdministrator: "the root realm must keep an active administrator"
    case .unauthorized(let reason): "not authorized: \(reason)"
    case .exhausted(let what): "a limit is reached: \(what)"
    case .unavailable(let detail): "the database is unavailable: \(detail)"
    case .corrupt(let detail): "stored data is damaged: \(detail)"
    }
  }
}
