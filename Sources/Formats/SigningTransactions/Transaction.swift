public import StrictJSON

/// What a person is asked to approve: the words that are shown, signed and verified, and nothing else.
///
/// Every transaction has been checked: what cannot be shown to a person exactly as it is signed is refused when one is
/// made. All parts may be missing, but not all at once, and an amount needs its currency. Texts are in Unicode
/// Normalization Form C. `docs/transactions.md` gives the canonical form for other implementations.
public struct Transaction: Sendable, Hashable {
  /// A part of a transaction. The order of the cases is the order in which parts are shown and signed.
  public enum FieldName: String, Sendable, Hashable, CaseIterable {
    /// A decimal number in ASCII digits, `1250` or `0.05`: no sign, no grouping, no leading zeros, at most 15 digits
    /// before the point and 9 after it. What is shown is this text, never a number made of it: `1.50` is not `1.5`.
    case amount

    /// Three capital letters, as of ISO 4217: `EUR`. Whether such a currency exists is not checked.
    case currency

    /// The payee's name: 1 to 140 characters.
    case payee

    /// The payee's account, such as an IBAN or a mail address: 1 to 64 characters of printable ASCII.
    case account

    /// Free text on one line: 1 to 500 characters.
    case text
  }

  /// One part that is there.
  public struct Field: Sendable, Hashable {
    public let name: FieldName
    public let value: String
  }

  /// The parts that are there, in the order of ``FieldName``.
  public let fields: [Field]

  /// Checks and keeps the parts; absent ones are left out.
  ///
  /// - Throws: ``TransactionError`` naming the part that is wrong.
  public init(
    amount: String? = nil, currency: String? = nil, payee: String? = nil, account: String? = nil,
    text: String? = nil
  ) throws(TransactionError) {
    let given: [FieldName: String?] = [
      .amount: amount, .currency: currency, .payee: payee, .account: account, .text: text,
    ]
    var fields: [Field] = []
    for name in FieldName.allCases {
      guard let value = given[name] ?? nil else { continue }
      fields.append(Field(name: name, value: try FieldRules.checked(value, as: name)))
    }
    guard !fields.isEmpty else { throw .empty }
    guard (amount == nil) == (currency == nil) else { throw .amountWithoutCurrency }
    self.fields = fields
  }

  /// The part `name`; `nil` when it is not there.
  public subscript(name: FieldName) -> String? { fields.first { $0.name == name }?.value }

  public var amount: String? { self[.amount] }
  public var currency: String? { self[.currency] }
  public var payee: String? { self[.payee] }
  public var account: String? { self[.account] }
  public var text: String? { self[.text] }
}

// MARK: - Display

extension Transaction {
  /// All parts for a person, one on each line, in order: `Amount: 42.00 EUR`, `Payee: …`, `Account: …`, `Text: …`.
  ///
  /// No value contains a line break, so that no value can pretend to be another part.
  public var lines: [String] {
    var lines: [String] = []
    if let amount, let currency { lines.append("Amount: \(amount) \(currency)") }
    if let payee { lines.append("Payee: \(payee)") }
    if let account { lines.append("Account: \(account)") }
    if let text { lines.append("Text: \(text)") }
    return lines
  }
}

// MARK: - JSON

extension Transaction {
  /// The parts as members of one object, in order, all of them texts: `{"amount":"42.00","currency":"EUR",…}`.
  public var json: JSONObject { JSONObject(fields.map { ($0.name.rawValue, JSONValue.string($0.value)) }) }

  /// Reads ``json``. The order of members does not matter; an unknown member is refused, because nobody would see it.
  ///
  /// - Throws: ``TransactionError`` naming the member that is wrong.
  public init(json: JSONObject) throws(TransactionError) {
    var values: [FieldName: String] = [:]
    for (name, value) in json {
      guard let field = FieldName.allCases.first(where: { $0.rawValue.hasSameBytes(as: name) }) else {
        throw .unknownField
      }
      guard let text = value.stringValue else { throw .invalid(field, .notText) }
      values[field] = text
    }
    try self.init(
      amount: values[.amount], currency: values[.currency], payee: values[.payee],
      account: values[.account], text: values[.text])
  }
}
