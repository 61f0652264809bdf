import SigningTransactions
import StrictJSON
import Testing

@Suite struct FieldTests {
  typealias Fault = TransactionError.Fault

  @Test(arguments: ["0", "0.00", "1", "1250.00", "0.05", "999999999999999", "1.123456789"])
  func `amounts that are one`(_ amount: String) throws {
    #expect(try Transaction(amount: amount, currency: "EUR").amount == amount)
  }

  @Test(arguments: [
    "01", "00", "1.", ".5", "1,00", "1 000", "-1", "+1", "1e3", "1.1234567890", "1000000000000000", "١٢", "１",
    "0x1", "1..0", "1.0.0", "NaN", " 1", "1 ",
  ])
  func `amounts that are none`(_ amount: String) {
    #expect(throws: TransactionError.invalid(.amount, .notDecimal)) {
      try Transaction(amount: amount, currency: "EUR")
    }
  }

  @Test(arguments: ["eur", "EURO", "EU", "E1R", "ＥＵＲ", "€"])
  func `currencies that are none`(_ currency: String) {
    #expect {
      try Transaction(amount: "1", currency: currency)
    } throws: { error in
      [.invalid(.currency, .notCurrency), .invalid(.currency, .tooLong(3))].contains(
        error as? TransactionError)
    }
  }

  @Test func `something has to be there, and an amount has a currency`() {
    #expect(throws: TransactionError.empty) { try Transaction() }
    #expect(throws: TransactionError.amountWithoutCurrency) { try Transaction(amount: "1") }
    #expect(throws: TransactionError.amountWithoutCurrency) { try Transaction(currency: "EUR", text: "x") }
    #expect(throws: TransactionError.invalid(.text, .empty)) { try Transaction(text: "") }
  }

  @Test(arguments: [(140, Transaction.FieldName.payee), (64, .account), (500, .text)])
  func `length limits`(_ limit: Int, _ name: Transaction.FieldName) throws {
    func make(_ count: Int) throws -> Transaction {
      try Transaction(json: [name.rawValue: .string(String(repeating: "x", count: count))])
    }
    #expect(try make(limit)[name]?.count == limit)
    #expect(throws: TransactionError.invalid(name, .tooLong(limit))) { try make(limit + 1) }
    #expect(throws: TransactionError.invalid(name, .tooLong(limit))) { try make(1_000_000) }
  }

  /// What a person would not see, or would see elsewhere.
  @Test(
    arguments: [
      0x00, 0x09, 0x0A, 0x0D, 0x1B, 0x7F, 0x85, 0x9B,  // controls
      0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x3164, 0x115F, 0xFE0F, 0xE0041,  // invisible
      0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069,  // directions
      0x00A0, 0x2003, 0x202F, 0x3000, 0x2800,  // blanks
      0x2028, 0x2029, 0xE000, 0x0378,  // separators, private, unassigned
    ] as [UInt32])
  func `hidden characters are refused in every text`(_ code: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(code))
    #expect(throws: TransactionError.invalid(.text, .hiddenCharacter(code))) {
      try Transaction(text: "Rent\(scalar)for May")
    }
    #expect(throws: TransactionError.invalid(.payee, .hiddenCharacter(code))) {
      try Transaction(payee: "Rent\(scalar)for May")
    }
  }

  @Test(arguments: ["Größe 42", "عمر الخيام", "株式会社", "🏡 Rent", "a, b; c: d = e", "ไทย"])
  func `what can be read is accepted as it is`(_ text: String) throws {
    #expect(try Transaction(text: text).text == text)
  }

  @Test(arguments: [" a", "a ", "a  b", " "])
  func `spaces that nobody counts`(_ text: String) {
    #expect(throws: TransactionError.invalid(.text, .spaces)) { try Transaction(text: text) }
  }

  @Test func `marks that would draw over their neighbours`() throws {
    #expect(throws: TransactionError.invalid(.text, .stackedMarks)) { try Transaction(text: "\u{0332}a") }
    let tower = "a" + String(repeating: "\u{0332}", count: 20)
    #expect(throws: TransactionError.invalid(.text, .stackedMarks)) { try Transaction(text: tower) }
  }

  @Test(arguments: ["DE89 3704 0044 0532 0130 00", "babs@example.com", "4000 **** **** 0002"])
  func `accounts`(_ account: String) throws {
    #expect(try Transaction(account: account).account == account)
    // Cyrillic а
    #expect(throws: TransactionError.invalid(.account, .notASCII)) {
      try Transaction(account: account + "\u{0430}")
    }
  }

  @Test func `each part has a line of its own, in order, with amount and currency together`() throws {
    let transaction = try Transaction(
      amount: "42.00", currency: "EUR", payee: "Bakery", account: "DE89", text: "Amount: 1.00 EUR")
    #expect(
      transaction.lines == [
        "Amount: 42.00 EUR", "Payee: Bakery", "Account: DE89", "Text: Amount: 1.00 EUR",
      ])
  }

  // MARK: JSON

  @Test func `the JSON form has all parts in order and is read in any order`() throws {
    let transaction = try Transaction(amount: "42.00", currency: "EUR", payee: "Bakery", text: "Bread")
    #expect(transaction.json.names == ["amount", "currency", "payee", "text"])
    #expect(try Transaction(json: transaction.json) == transaction)
    let turned: JSONObject = ["text": "Bread", "payee": "Bakery", "currency": "EUR", "amount": "42.00"]
    #expect(try Transaction(json: turned) == transaction)
  }

  @Test func `what nobody would see is refused in JSON`() {
    #expect(throws: TransactionError.unknownField) { try Transaction(json: ["text": "a", "memo": "b"]) }
    #expect(throws: TransactionError.unknownField) { try Transaction(json: ["Text": "a"]) }
    #expect(throws: TransactionError.invalid(.amount, .notText)) {
      try Transaction(json: ["amount": 10, "currency": "EUR"])
    }
    #expect(throws: TransactionError.invalid(.text, .notText)) { try Transaction(json: ["text": .null]) }
    #expect(throws: TransactionError.empty) { try Transaction(json: [:]) }
  }

  @Test func `an offer is read back, and anything else is none`() throws {
    let transaction = try Transaction(text: "Open the gate")
    let offer = try #require(
      OfferedTransaction(id: "t1", transaction: transaction, nonce: Array(0..<32)))
    #expect(OfferedTransaction(json: offer.json) == offer)
    #expect(offer.challenge == transaction.challenge(nonce: Array(0..<32)))
    let changes: [(String, JSONValue?)] = [
      ("version", 2), ("version", nil), ("version", "1"), ("id", ""), ("id", nil), ("id", 1),
      ("id", .string(String(repeating: "i", count: 129))), ("fields", nil), ("fields", [:]),
      ("fields", ["text": "a", "memo": "b"]), ("fields", "text"), ("nonce", nil), ("nonce", "AAAA"),
      ("nonce", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="), ("nonce", "!"),
    ]
    for (name, value) in changes {
      var json = offer.json
      json[name] = value
      #expect(OfferedTransaction(json: json) == nil, "\(name): \(value?.text ?? "nothing")")
    }
  }
}
