internal import Foundation
internal import JourneyEngine
internal import JourneyNodes
internal import JourneyStore
internal import Logging
internal import ServerHTTP
internal import SigningTransactions
internal import StrictJSON

/// Begins journeys for transactions, and writes the verdict at their end.
struct TransactionVerdicts: Sendable {
  let store: any ServerStore
  let clock: @Sendable () -> Date

  /// A journey to be run for a transaction.
  struct Start {
    var journey: String
    var state: JourneyState
  }

  /// The journey for the transaction `id`. Knowing the id is enough to start it.
  ///
  /// - Throws: 401 when it is unknown, expired or decided. The client is told only of the last two; the log has every reason.
  func start(_ id: String, realm: String) async throws -> Start {
    func refusal(_ why: String, _ reason: TransactionRefusal? = nil) -> ErrorResponse {
      Self.refusal(reason, cause: "transaction \(id.debugDescription.prefix(100)) of realm \(realm) \(why)")
    }
    guard let transaction = try await store.transaction(id: id, realm: realm),
      let application = try await store.application(id: transaction.applicationID, realm: realm)
    else { throw refusal("is unknown") }
    guard transaction.decision == nil else { throw refusal("has been decided before", .decided) }
    guard transaction.isOpen(at: clock()) else { throw refusal("has expired", .expired) }
    return Start(
      journey: transaction.journey,
      state: TransactionJourney.state(for: transaction, of: application.name))
  }

  /// Approves the transaction of a journey that ended in success; at most one journey ever does.
  ///
  /// - Throws: 401 when the journey has no proof, or was too late.
  func approve(_ result: TransactionJourney.Result, journey: JourneySuccess, logger: Logger) async throws {
    guard let approval = result.approval else {
      throw ErrorResponse.loginFailure(
        cause:
          "journey \(journey.journey) ended in success without a signature for transaction \(result.id); "
          + "put a Device Signing Verifier node into it")
    }
    guard journey.username == approval.username else {
      throw ErrorResponse.loginFailure(
        cause:
          "journey \(journey.journey) ended for another user than the one who signed transaction \(result.id)"
      )
    }
    guard
      try await store.decideTransaction(
        id: result.id, realm: journey.realm, .approved(approval), now: clock())
    else {
      let now = try await store.transaction(id: result.id, realm: journey.realm)
      throw Self.refusal(
        now.map { $0.decision == nil ? .expired : .decided },
        cause: "transaction \(result.id) was signed, but had been decided before or had expired")
    }
    logger.info(
      "transaction approved",
      metadata: [
        "transaction": "\(result.id)", "realm": "\(journey.realm)", "user": "\(approval.username)",
        "kid": "\(approval.keyID)",
      ])
  }

  private static func refusal(_ reason: TransactionRefusal?, cause: String) -> ErrorResponse {
    var refusal = ErrorResponse.loginFailure(cause: cause)
    if let reason { refusal.detail?["errorCode"] = .string(reason.rawValue) }
    return refusal
  }
}
