import Bytes
@testable import BindingFormats
import SigningTransactions
import StrictJSON

extension FuzzTarget {
  /// What a person is shown is what is signed: one line for each part, the same after writing and reading it again.
  static let transaction = FuzzTarget { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    checkNames(text)
    guard let object = try? JSONObject(parsing: bytes) else { return }
    if let context = TransactionContext(offer: object) as TransactionContext? {
      let again = TransactionContext(offer: [TransactionContext.member: .object(context.json)])
      expect(again == context, "a context changes")
    }
    if let transaction = try? Transaction(json: object) {
      expect((try? Transaction(json: transaction.json)) == transaction, "a transaction changes")
      expect(transaction.fields.allSatisfy { $0.value.isFitForLine }, "a part can pretend to be another one")
      expect(transaction.lines.allSatisfy { !$0.contains(where: \.isNewline) }, "a part has several lines")
    }
    guard let offer = OfferedTransaction(json: object) else { return }
    expect(OfferedTransaction(json: offer.json) == offer, "an offer changes")
    expect(Challenge(wire: offer.challenge, offer: offer)?.wire == offer.challenge, "an offer is not its own")
    expect(Challenge(wire: offer.challenge + "=", offer: offer) == nil, "an offer takes another challenge")
  }

  private static func checkNames(_ text: String) {
    if let challenge = Challenge(wire: text) {
      expect(challenge.wire == text, "a challenge changes")
      if case .text = challenge {
        expect(!Challenge.isReserved(text) || PaddedBase64.decode(text) == nil, "a text passes as a sign-in")
      }
    }
    if let account = UniversalID(text) { expect(UniversalID(account.text) == account, "an account changes") }
    if let name = DeviceName(text) { expect(DeviceName(name.text) == name, "a device's name changes") }
    let fitting = DeviceName(fitting: text, standard: "Device")
    expect(
      DeviceName(fitting.text) == fitting, "a device's fitted name is none: \(fitting.text.debugDescription)")
  }
}
