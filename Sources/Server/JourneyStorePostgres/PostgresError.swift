internal import Foundation
internal import JourneyStore

/// A failure of PostgreSQL, or of the connection to it.
struct PostgresError: Error {
  /// SQLSTATE, five characters; empty when the connection failed.
  var state = ""
  var message: String
  var constraint = ""

  /// Whether the statements may have been carried out although no answer says so.
  var isUncertain = false

  /// Whether the server did not answer in the time allowed.
  var isUnanswered = false

  init(_ message: String, isUncertain: Bool = false) {
    self.message = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    self.isUncertain = isUncertain
  }

  static func unanswered(for seconds: TimeInterval, isUncertain: Bool = false) -> PostgresError {
    var error = PostgresError("no answer within \(Int(seconds)) seconds", isUncertain: isUncertain)
    error.isUnanswered = true
    return error
  }

  init(_ result: OpaquePointer, _ pq: LibPQ) {
    state = LibPQ.text(pq.resultErrorField(result, LibPQ.Field.sqlState))
    message = LibPQ.text(pq.resultErrorField(result, LibPQ.Field.message))
    constraint = LibPQ.text(pq.resultErrorField(result, LibPQ.Field.constraint))
  }

  /// Whether the connection is gone or of no use any more, whether or not PostgreSQL says so.
  var endsConnection: Bool {
    state.isEmpty || state.hasPrefix("57P") || state.hasPrefix("08") || isReadOnly || wasIdle
  }

  /// The server has ended the connection, and undone its transaction, because nothing came for too long.
  private var wasIdle: Bool { state == "25P03" }

  /// The server is a replica, or has become one.
  var isReadOnly: Bool { state == "25006" }

  /// A transaction lost a conflict with others: not serialisable, or in a deadlock. It may succeed a moment later.
  var isConflict: Bool { state == "40001" || state == "40P01" }

  /// A prepared statement is missing, or one of its name exists already, because a pooler has changed the connection behind this one
  /// (``PostgresPool/prepares``).
  var isAboutPreparedStatements: Bool { state == "26000" || state == "42P05" }

  /// A statement was prepared before one of its tables changed: "cached plan must not change result type". It was not carried out, and will
  /// not be on this connection unless it is prepared again.
  var isOfOldForm: Bool { state == "0A000" }

  /// Another transaction holds a lock, which was not waited for any longer.
  var isLocked: Bool { state == "55P03" }

  /// A value does not fit its column, or breaks a constraint, which is the fault of the statement and not of the database.
  var isAboutValues: Bool { state.hasPrefix("22") || state.hasPrefix("23") }
}

extension StoreError {
  /// Translates an error of PostgreSQL for the store's callers; other errors pass unchanged.
  ///
  /// - Parameters:
  ///   - place: The database, without its password.
  ///   - subject: What was to be stored, for a conflict.
  static func translating(_ error: any Error, place: String, subject: String) -> any Error {
    guard let error = error as? PostgresError else { return error }
    let detail = error.state.isEmpty ? error.message : "\(error.message) (SQLSTATE \(error.state))"
    let advice: String
    switch error.state {
    case "23505": return StoreError.conflict(subject)
    case "23503": return StoreError.missing("the user of \(subject)")
    case KeyFence.sqlState: return OutdatedKey(error.message)
    case "XX001", "XX002":
      return StoreError.corrupt("\(place): \(detail); restore the database from a backup")
    case "25006":
      advice = "the server takes no writes; name the primary, or add target_session_attrs=read-write"
    case "28000", "28P01": advice = "the server refuses this user or password"
    case "3D000": advice = "create the database first"
    case "42501": advice = "the database user lacks a right; it must own its tables"
    case "42P01", "42703": advice = "a table or column is missing; restore the database from a backup"
    case "53100": advice = "the server has no space left; free some, then repeat"
    case "53300", "53400":
      advice = "the server has reached its limit of connections; raise it, or use a pooler"
    case "40001", "40P01": advice = "others kept changing the same rows; repeat"
    case "55P03": advice = "somebody keeps a lock; repeat"
    case "57014": advice = "the statement took too long, and was ended; repeat"
    default:
      advice =
        error.isUncertain ? "the connection was lost before the answer, so the change may have been made" : ""
    }
    // The advice covers PostgreSQL's message, and says what to do; without advice, the message is all there is.
    let said =
      advice.isEmpty || error.state.isEmpty ? [advice, detail] : ["\(advice) (SQLSTATE \(error.state))"]
    return StoreError.unavailable(([place] + said).filter { !$0.isEmpty }.joined(separator: ": "))
  }
}
