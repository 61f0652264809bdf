import CommonFixtures
import Crypto
import Foundation
import SigningTransactions
import StrictJSON
import Testing

@Suite struct CanonicalFormTests {
  private static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String(format: "%02x", $0) }.joined()
  }

  /// The vector of docs/transactions.md, made there by another program.
  @Test func `the documented vector`() throws {
    let transaction = try Transaction(
      amount: "1250.00", currency: "EUR", payee: "Hausverwaltung Krüger", account: "DE89370400440532013000",
      text: "Rent for May")
    #expect(
      Self.hex(transaction.canonical)
        == "7365616c72696e672e7472616e73616374696f6e2e76310000000006616d6f756e7400000007313235302e3030000000"
        + "0863757272656e637900000003455552000000057061796565000000164861757376657277616c74756e67204b72c3bc"
        + "676572000000076163636f756e7400000016444538393337303430303434303533323031333030300000000474657874"
        + "0000000c52656e7420666f72204d6179")
    #expect(
      transaction.challenge(nonce: Array(0..<32)) == "LtHR1cbgkl0yPGoPCmiCpjwIT8xjdphFe5P69z2SWmg=")
  }

  @Test func `the documented vector with a text alone`() throws {
    let transaction = try Transaction(text: "Open the gate")
    #expect(
      Self.hex(transaction.canonical)
        == "7365616c72696e672e7472616e73616374696f6e2e7631000000000474657874"
        + "0000000d4f70656e207468652067617465")
    #expect(
      transaction.challenge(nonce: Array(repeating: 0xFF, count: 32))
        == "cd3lMQTQXePEHEjn1vEe4L6W47T2xBtHSpawuiD8w7s=")
  }

  @Test func `the challenge is SHA-256 of canonical form and nonce, and needs 32 bytes of it`() throws {
    let transaction = try Transaction(text: "Open the gate")
    let nonce = [UInt8](32..<64)
    #expect(
      transaction.challenge(nonce: nonce)
        == Data(SHA256.hash(data: transaction.canonical + nonce)).base64EncodedString())
    for count in [0, 31, 33] {
      #expect(transaction.challenge(nonce: Array(repeating: 1, count: count)) == nil)
    }
  }

  // MARK: One form, one transaction

  /// Few and short values, which look like names, lengths and each other, so that collisions would be likely.
  private static func transaction(_ random: inout SeededGenerator) throws -> Transaction {
    let words = ["text", "payee", "account", "amount", "a", "aa", "a a", "4 text", "é", "1", "1.0", "10"]
    func maybe(_ values: [String]) -> String? {
      Bool.random(using: &random) ? values.randomElement(using: &random) : nil
    }
    let amount = maybe(["1", "1.0", "10", "0.1"])
    let account = words.filter { $0 != "é" }
    return try Transaction(
      amount: amount, currency: amount == nil ? nil : ["EUR", "USD"].randomElement(using: &random),
      payee: maybe(words), account: maybe(account),
      text: words.randomElement(using: &random))
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `different transactions never share a canonical form`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var seen: [[UInt8]: Transaction] = [:]
    for _ in 0..<20_000 {
      let transaction = try Self.transaction(&random)
      if let earlier = seen.updateValue(transaction, forKey: transaction.canonical) {
        #expect(earlier == transaction)
      }
    }
    #expect(seen.count > 1_000)
  }

  /// Reads a canonical form back, by the text of the documentation alone.
  private static func read(_ bytes: [UInt8]) -> [(String, String)]? {
    var rest = bytes[...]
    let domain = Array("sealring.transaction.v1".utf8) + [0]
    guard rest.starts(with: domain) else { return nil }
    rest = rest.dropFirst(domain.count)
    func text() -> String? {
      guard rest.count >= 4 else { return nil }
      let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return String(decoding: rest.prefix(count), as: UTF8.self)
    }
    var fields: [(String, String)] = []
    while !rest.isEmpty {
      guard let name = text(), let value = text() else { return nil }
      fields.append((name, value))
    }
    return fields
  }

  @Test func `the canonical form can be read back, so that it stands for one transaction only`() throws {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<2_000 {
      let transaction = try Self.transaction(&random)
      let fields = try #require(Self.read(transaction.canonical))
      #expect(fields.map(\.0) == transaction.fields.map(\.name.rawValue))
      #expect(fields.map(\.1) == transaction.fields.map(\.value))
    }
  }

  @Test func `every part counts`() throws {
    let nonce = [UInt8](repeating: 9, count: 32)
    let variants = [
      try Transaction(amount: "10.00", currency: "EUR", payee: "Ann", account: "A1", text: "Hi"),
      try Transaction(amount: "10.0", currency: "EUR", payee: "Ann", account: "A1", text: "Hi"),
      try Transaction(amount: "10.00", currency: "USD", payee: "Ann", account: "A1", text: "Hi"),
      try Transaction(amount: "10.00", currency: "EUR", payee: "Anne", account: "A1", text: "Hi"),
      try Transaction(amount: "10.00", currency: "EUR", payee: "Ann", account: "A2", text: "Hi"),
      try Transaction(amount: "10.00", currency: "EUR", payee: "Ann", account: "A1", text: "Ho"),
      try Transaction(amount: "10.00", currency: "EUR", payee: "Ann", account: "A1"),
      try Transaction(amount: "10.00", currency: "EUR", payee: "A1", text: "Ann"),
      try Transaction(payee: "Ann", account: "A1", text: "Hi"),
    ]
    #expect(Set(variants.map { $0.challenge(nonce: nonce) }).count == variants.count)
    #expect(variants[0].challenge(nonce: nonce) != variants[0].challenge(nonce: nonce.map { $0 + 1 }))
  }

  @Test func `texts that look the same are the same: Normalization Form C`() throws {
    let composed = try Transaction(payee: "Kr\u{FC}ger")
    let decomposed = try Transaction(payee: "Kru\u{308}ger")
    #expect(composed == decomposed && composed.canonical == decomposed.canonical)
    #expect(decomposed.payee?.unicodeScalars.count == 6)
  }
}
