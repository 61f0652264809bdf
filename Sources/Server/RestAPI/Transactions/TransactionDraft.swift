internal import Foundation
internal import JourneyStore
internal import ServerHTTP
internal import SigningTransactions
internal import StrictJSON

/// A transaction that an application posts for approval, checked.
struct TransactionDraft {
  var transaction: Transaction
  var username: String?
  var journey: String

  /// Seconds.
  var lifetime: TimeInterval

  static let standardJourney = "ApproveTransaction"
  static let standardLifetime: Int64 = 300
  static let lifetimes: ClosedRange<Int64> = 1...3600

  /// - Throws: 400 naming the member that is wrong. Unknown members are refused, because a misspelt `username` must not
  ///   create a transaction that anybody can approve.
  init(_ object: JSONObject) throws(ErrorResponse) {
    let known = ["fields", "username", "journey", "expiresIn"]
    if let stranger = object.names.first(where: { !known.contains($0) }) {
      throw .badRequest(
        "There is no member \(JSONValue.string(String(stranger.prefix(40))).text) here; use \(known.joined(separator: ", "))."
      )
    }
    guard let fields = object["fields"]?.objectValue else {
      throw .badRequest("Send the transaction's fields as an object.")
    }
    do throws(TransactionError) { transaction = try Transaction(json: fields) } catch {
      throw .badRequest(error.description)
    }
    username = try object.text("username")
    if let username, let fault = LoginName.faultInAddress(username) { throw .badRequest(fault) }
    journey = try object.text("journey") ?? Self.standardJourney
    let seconds = object["expiresIn"].map { $0.integerValue } ?? Self.standardLifetime
    guard let seconds, Self.lifetimes.contains(seconds) else {
      throw .badRequest(
        "expiresIn must be \(Self.lifetimes.lowerBound) to \(Self.lifetimes.upperBound) seconds.")
    }
    lifetime = TimeInterval(seconds)
  }
}
