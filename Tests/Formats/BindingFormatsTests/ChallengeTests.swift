import Bytes
import Foundation
import SigningTransactions
import StrictJSON
import Testing

@testable import BindingFormats

@Suite("Challenges") struct ChallengeTests {
  private static let bytes = [UInt8](0..<32)
  private static let wire = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

  private let offer: OfferedTransaction

  init() throws {
    let rent = try Transaction(amount: "12.50", currency: "EUR", payee: "Krüger")
    offer = try #require(OfferedTransaction(id: "t-1", transaction: rent, nonce: Self.bytes))
  }

  @Test func `random bytes are 44 characters of Base64 on the wire`() {
    let challenge = Challenge.random(Self.bytes)
    #expect(challenge.wire == Self.wire && challenge.bytes == Self.bytes)
    #expect(Challenge(wire: Self.wire) == challenge)
    #expect(challenge.purpose == .possession && challenge.transaction == nil)
  }

  @Test(arguments: ["Pay 10 EUR", "é", " ", "AAAA", "{}"])
  func `a text is signed as it is`(text: String) {
    let challenge = Challenge.text(text)
    #expect(challenge.wire == text && challenge.bytes == Array(text.utf8))
    #expect(Challenge(wire: text) == challenge)
    #expect(challenge.purpose == .statement && challenge.transaction == nil)
  }

  @Test func `a transaction is what its offer says, and never what another offer says`() throws {
    let challenge = Challenge.transaction(offer)
    #expect(challenge.wire == offer.challenge && challenge.bytes.count == 32)
    #expect(Data(challenge.bytes).base64EncodedString() == offer.challenge)
    #expect(Challenge(wire: offer.challenge, offer: offer) == challenge)
    #expect(challenge.purpose == .approval(transactionID: "t-1") && challenge.transaction == offer)
    for wire in ["", Self.wire, "Pay 10 EUR", offer.challenge + " "] {
      #expect(Challenge(wire: wire, offer: offer) == nil)
    }
    // Without the offer it is 32 bytes as any others: what it approves has to be sent along.
    #expect(Challenge(wire: offer.challenge)?.purpose == .possession)
  }

  @Test func `nothing is no challenge`() { #expect(Challenge(wire: "") == nil) }

  @Test(
    arguments: [
      "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=", "-AECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
      "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==",
    ])
  func `what only looks like random bytes is a text, and is shown`(wire: String) {
    #expect(Challenge(wire: wire) == .text(wire))
    #expect(Challenge(wire: wire)?.wire == wire)
  }

  @Test(
    arguments: [
      (wire, true), ("-_ECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", true),
      ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=", true),
      ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", false),
      ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8==", false),
      ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==", false),
      ("A ECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", false), ("", false), ("Pay 10 EUR", false),
    ])
  func `texts that could pass as a server's own challenge are reserved`(text: String, isReserved: Bool) {
    #expect(Challenge.isReserved(text) == isReserved)
  }
}
