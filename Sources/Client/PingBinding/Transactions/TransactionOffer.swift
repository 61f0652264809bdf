internal import BindingFormats
internal import SigningTransactions
internal import StrictJSON

/// A signing callback's offer of a transaction.
enum TransactionOffer: Sendable {
  /// No transaction is offered: the challenge is random or a text.
  case none
  case offered(OfferedTransaction)
  /// The transaction cannot be shown as it would be signed.
  case unreadable

  /// Reads the callback's output `transaction`.
  init(output value: Any) {
    if let json = Self.object(value), let offer = OfferedTransaction(json: json) {
      self = .offered(offer)
    } else {
      self = .unreadable
    }
  }

  /// The server's statements about the transaction; `nil` when there are none.
  static func context(output value: Any) -> TransactionContext? {
    guard let json = object(value) else { return nil }
    let context = TransactionContext(offer: json)
    return context == TransactionContext() ? nil : context
  }

  private static func object(_ value: Any) -> JSONObject? { JSONValue(any: value)?.objectValue }

  var transaction: Transaction? {
    if case .offered(let offer) = self { offer.transaction } else { nil }
  }

  /// The challenge to sign: the transaction to show, when `wire` is its challenge, or else `wire` itself.
  ///
  /// - Parameters:
  ///   - wire: The callback's output `challenge`.
  ///   - expectedID: The transaction that the journey was started for; `nil` when it was started for none.
  /// - Returns: `nil` when there is nothing to sign.
  /// - Throws: ``TransactionMismatch`` when a different transaction, or none, would be signed.
  func challenge(wire: String, expectedID: String?) throws(TransactionMismatch) -> Challenge? {
    switch self {
    case .none:
      guard expectedID == nil else { throw .missing }
      return Challenge(wire: wire)
    case .unreadable: throw .unreadable
    case .offered(let offer):
      if let expectedID, !offer.id.hasSameBytes(as: expectedID) { throw .otherTransaction }
      guard let challenge = Challenge(wire: wire, offer: offer) else { throw .challenge }
      return challenge
    }
  }
}

/// Why a transaction is not signed: no prompt is known to show it.
enum TransactionNotShown: Error {
  case pinCollector
  case selector

  /// For the app's developer.
  var text: String {
    let (what, property) =
      switch self {
      case .pinCollector: ("PIN collector", "PinCollector.showsTransactions")
      case .selector: ("key selector", "UserKeySelector.showsTransactions")
      }
    return "The app's own \(what) does not declare that it shows transactions, so nothing is signed. Set"
      + " config.transactionConfirmation, or have the \(what) show all of Prompt.transaction and return true from"
      + " \(property)."
  }
}

/// Why a transaction is not signed: the person would see something other than what is signed.
///
/// The app receives ``DeviceBindingStatus/unsupported(errorMessage:)`` with this text. The server receives `Abort`, which refuses
/// the transaction, since it may have been changed in transit.
enum TransactionMismatch: Error {
  case missing
  case unreadable
  case otherTransaction
  case challenge

  static let clientError = BindingClientError.abort

  var text: String {
    switch self {
    case .missing: "The server offers no transaction to sign although the journey was started for one."
    case .unreadable:
      "The server offers a transaction that this version cannot show as it would be signed. Update the app."
    case .otherTransaction:
      "The server offers a different transaction from the one the journey was started for."
    case .challenge:
      "The challenge does not belong to the transaction: something other than what is shown would be signed."
    }
  }
}
