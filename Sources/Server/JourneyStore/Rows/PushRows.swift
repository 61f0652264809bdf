internal import Foundation
internal import StrictJSON

extension PushMessageRecord {
  /// The row without the account, whose spelling the account's own record decides.
  package func row(_ serverKey: ServerKey) throws -> StatementValues {
    [
      "id": id, "kind": kind.rawValue, "type": type.rawValue,
      "sealed": try StoreTable.pushMessages.seal(StoredJSON.bytes(of: sealedForm), of: id, serverKey),
      "sent_at": sentAt,
      "expires_at": expiresAt, "state": state.rawValue, "wrong_answers": wrongAnswers,
      "decided_by": decidedBy, "reason": reason,
    ]
  }

  package static let columns = StoreTable.pushMessages.readColumns

  package init(_ row: StoredRow, _ serverKey: ServerKey) throws {
    let id = try row.text("id")
    try self.init(
      id: id, realm: row.text("realm"), username: row.text("username"), kind: row.known("kind"),
      type: row.known("type"), challenge: StoredSecret([]), sentAt: row.date("sent_at"),
      expiresAt: row.date("expires_at"), state: row.known("state"),
      wrongAnswers: row.integer("wrong_answers"), decidedBy: row.optionalText("decided_by"),
      reason: row.optionalText("reason"))
    let opened = try StoreTable.pushMessages.open(row, of: id, serverKey)
    guard let form: SealedForm = StoredJSON.value(from: opened) else {
      throw row.damaged("sealed", "what was sealed")
    }
    take(form)
  }
}

extension PushInboxItem {
  package func row(_ key: AccountKey) -> StatementValues {
    [
      "realm_key": key.realm, "mechanism_uid": mechanismUID, "message_id": messageID, "message": message,
      "was_fetched": false,
    ]
  }

  package init(_ row: StoredRow) throws {
    try self.init(
      messageID: row.text("message_id"), mechanismUID: row.text("mechanism_uid"),
      message: row.text("message"), wasFetched: row.flag("was_fetched"))
  }
}

extension PushAddress {
  package init(_ row: StoredRow) throws {
    self.init(realm: try row.text("realm"), mechanismUID: try row.text("mechanism_uid"))
  }
}

extension PushDecisionRecord: StoredRecord {
  package static var table: StoreTable { .pushDecisions }

  package init(_ row: StoredRow) throws {
    try self.init(
      number: Int64(row.integer("number")), realm: row.text("realm"), username: row.text("username"),
      accountID: row.optionalText("account_id"), messageID: row.text("message_id"), type: row.known("type"),
      state: row.known("state"), device: row.text("device"), deviceName: row.text("device_name"),
      reason: row.optionalText("reason"), sentAt: row.date("sent_at"), decidedAt: row.date("decided_at"))
  }
}

extension PushLimits {
  /// Why no further message may be sent; `nil` when one may.
  ///
  /// - Parameter counts: the user's open messages, and messages and wrong answers since the last success.
  package func refusal(_ counts: (open: Int, messages: Int, wrongAnswers: Int)) -> PushOpening? {
    if counts.open >= openMessages { return .tooManyOpen }
    if counts.messages >= messagesSinceSuccess { return .tooManySinceSuccess }
    return counts.wrongAnswers >= wrongAnswersSinceSuccess ? .tooManyWrongAnswers : nil
  }
}
