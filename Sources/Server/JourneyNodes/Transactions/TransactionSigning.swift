internal import BindingFormats
internal import Bytes
internal import Foundation
internal import JOSE
internal import JourneyEngine
internal import JourneyStore
internal import SecurityEvents
internal import SigningTransactions
internal import StrictJSON

/// The signing node's part in a journey that is run for a transaction.
struct TransactionSigning: Sendable {
  let services: NodeServices

  /// The reason of a refusal that the person chose.
  static let cancelled = "CANCELLED"

  /// Offers the journey's transaction under a fresh nonce; `nil` when the journey has none, or a proof for it already.
  ///
  /// Fills in the user when the transaction names one.
  ///
  /// - Throws: `NodeRefusal` when the transaction cannot be approved any more, ``NodeError`` when it is for another user than the
  ///   journey's.
  func offer(
    in context: inout NodeContext
  ) async throws -> (offer: OfferedTransaction, record: TransactionRecord)? {
    guard let id = id(in: context.state) else { return nil }
    let record = try await openTransaction(id, realm: context.request.realm)
    if let owner = record.username {
      if let username = context.state.username,
        UniversalID(username: username, realm: record.realm)
          != UniversalID(username: owner, realm: record.realm)
      {
        throw NodeError("transaction \(id) is for another user than this journey")
      }
      context.state.username = owner
    }
    return (try Self.offer(record, nonce: services.randomBytes(Transaction.nonceCount)), record)
  }

  /// An offer that is being answered.
  struct Answered: Sendable {
    var offer: OfferedTransaction

    /// As it is stored.
    var record: TransactionRecord

    /// The application that made the transaction.
    var application: ApplicationRecord

    /// What the evidence of the signature keeps.
    var evidence: JSONObject {
      var evidence = offer.json
      evidence["application"] = .string(application.id)
      if application.takesPlainProofs { evidence[OfferedTransaction.plainProofs] = true }
      return evidence
    }
  }

  /// The offer that `challenge` stands for, compared with what is stored; `nil` when no transaction was offered.
  ///
  /// - Throws: `NodeRefusal` when the transaction cannot be approved any more.
  func answered(_ challenge: Challenge, _ context: NodeContext) async throws -> Answered? {
    guard let offer = challenge.transaction else { return nil }
    guard id(in: context.state) == offer.id else {
      throw NodeError("the challenge is not that of the journey's transaction")
    }
    let record = try await openTransaction(offer.id, realm: context.request.realm)
    guard
      let application = try await services.store.application(id: record.applicationID, realm: record.realm)
    else { throw NodeError("transaction \(offer.id) was deleted with its application") }
    guard try Self.offer(record, nonce: offer.nonce) == offer else {
      throw NodeError("transaction \(offer.id) is not what was offered")
    }
    return Answered(offer: offer, record: record, application: application)
  }

  /// Records a cancellation, before anything else of the answer is looked at. Clients say so when the person cancelled, or
  /// could not unlock the key.
  func noteCancellation(
    _ reply: CallbackReply, of challenge: Challenge, in context: inout NodeContext
  ) async throws {
    guard reply.text(BindingField.clientError) == BindingClientError.abort else { return }
    try await refuse(challenge, reason: Self.cancelled, in: &context)
  }

  /// Records a refusal of the transaction that is being answered, unless it has been decided already.
  func refuse(_ challenge: Challenge, reason: String, in context: inout NodeContext) async throws {
    guard let id = challenge.transaction?.id, id == self.id(in: context.state) else { return }
    let isRecorded = try await services.store.decideTransaction(
      id: id, realm: context.request.realm, .refused(reason: reason), now: services.clock())
    if isRecorded {
      await services.events.note(
        SecurityEvent(
          .transactionRefused, realm: context.request.realm, account: context.state.username,
          accountID: context.state.accountID, journey: context.journey, outcome: .refused, cause: reason,
          detail: ["transaction": .string(id)]))
    }
    context.logReason(
      isRecorded
        ? "transaction \(id) is refused: \(reason)" : "transaction \(id) had been decided or had expired")
  }

  /// Keeps the verified proof for the end of the journey.
  func keep(_ jws: String, by user: UserRecord, for offer: OfferedTransaction, in context: inout NodeContext)
    throws
  {
    let approval = TransactionApproval(
      username: user.username, accountID: user.id, keyID: try DeviceProof.keyID(of: DeviceProof.parse(jws)),
      jws: jws,
      nonce: offer.nonce)
    context.state.secure[TransactionJourney.proofKey] = approval.inState
    guard var request = context.state.transient[TransactionJourney.requestKey]?.objectValue else { return }
    request["nonce"] = .string(Base64URL.encode(offer.nonce))
    context.state.transient[TransactionJourney.requestKey] = .object(request)
  }

  /// The transaction that still needs a proof in this journey.
  private func id(in state: JourneyState) -> String? {
    guard state.secure[TransactionJourney.proofKey] == nil else { return nil }
    return state.secure[TransactionJourney.idKey]?.stringValue
  }

  private func openTransaction(_ id: String, realm: String) async throws -> TransactionRecord {
    guard let record = try await services.store.transaction(id: id, realm: realm) else {
      throw NodeError("transaction \(id) was deleted with its application")
    }
    guard record.decision == nil else {
      throw Self.refusal("transaction \(id) has been decided before", .decided)
    }
    guard record.isOpen(at: services.clock()) else {
      throw Self.refusal("transaction \(id) has expired", .expired)
    }
    return record
  }

  private static func refusal(_ cause: String, _ reason: TransactionRefusal) -> NodeRefusal {
    NodeRefusal(cause, detail: ["errorCode": .string(reason.rawValue)])
  }

  /// What the device is told about the journey's transaction beside what it signs.
  static func context(of state: JourneyState) -> TransactionContext {
    let request = state.transient[TransactionJourney.requestKey]
    return TransactionContext(
      applicationName: request?["applicationName"]?.stringValue,
      expiresAt: request?["expiresAt"]?.integerValue.map { Date(millisecondsSince1970: $0) })
  }

  private static func offer(_ record: TransactionRecord, nonce: [UInt8]) throws -> OfferedTransaction {
    let transaction: Transaction
    do throws(TransactionError) { transaction = try Transaction(json: record.fields) } catch {
      throw NodeError("transaction \(record.id) as stored is damaged: \(error)")
    }
    guard let offer = OfferedTransaction(id: record.id, transaction: transaction, nonce: nonce) else {
      throw NodeError("transaction \(record.id) cannot be offered: its nonce has a wrong length")
    }
    return offer
  }
}

extension TransactionRecord {
  /// - Throws: ``NodeError`` when it is not for `user`, whose account may have got the name of the one that it was made for.
  func require(_ user: UserRecord) throws(NodeError) {
    guard isMeant(for: user) else {
      throw NodeError("transaction \(id) was made for another account than the one that has the name now")
    }
  }
}
