internal import BindingFormats
internal import Bytes
internal import Foundation
public import JourneyEngine
public import JourneyStore
internal import StrictJSON

/// The input and the result of a journey that is run for a transaction.
///
/// The journey never approves a transaction itself: it carries a verified proof to its end, and its caller then writes the
/// decision. So a journey may ask for more than a signature, and a failure after the signature approves nothing.
public enum TransactionJourney {
  /// Transient state: what the journey is about, as an object. Texts `id`, `application` (the id) and
  /// `applicationName`; `fields` in the form of `Transaction.json`; `expiresAt` in milliseconds since 1970. A Device
  /// Signing Verifier node adds `nonce`, in base64url, when it has verified a signature.
  public static let requestKey = "Transaction.REQUEST"

  /// Secure state: the transaction's id, which stays when transient state is dropped.
  static let idKey = "Transaction.ID"

  /// Secure state: the verified proof.
  static let proofKey = "Transaction.PROOF"

  /// The state in which a journey for `transaction` begins.
  ///
  /// - Parameter application: what administrators call the application that made it.
  public static func state(for transaction: TransactionRecord, of application: String) -> JourneyState {
    var state = JourneyState()
    state.username = transaction.username
    state.transient[requestKey] = [
      "id": .string(transaction.id), "application": .string(transaction.applicationID),
      "applicationName": .string(application), "fields": .object(transaction.fields),
      "expiresAt": .integer(transaction.expiresAt.millisecondsSince1970),
    ]
    state.secure[idKey] = .string(transaction.id)
    return state
  }

  /// The result of a journey for a transaction.
  public struct Result: Sendable, Hashable {
    public var id: String

    /// `nil` when no node of the journey asked for a signature.
    public var approval: TransactionApproval?
  }

  /// The result in the state of a journey that ended in success; `nil` when it was run for no transaction.
  public static func result(of state: JourneyState) -> Result? {
    guard let id = state.secure[idKey]?.stringValue else { return nil }
    return Result(id: id, approval: state.secure[proofKey].flatMap(TransactionApproval.init(inState:)))
  }
}

extension TransactionApproval {
  /// The form in secure state, where the approval stays until the journey's end.
  var inState: JSONValue {
    [
      "username": .string(username), "account": accountID.map { .string($0) } ?? .null,
      "kid": .string(keyID), "jws": .string(jws), "nonce": .string(Base64URL.encode(nonce)),
    ]
  }

  fileprivate init?(inState json: JSONValue) {
    guard let username = json["username"]?.stringValue, let keyID = json["kid"]?.stringValue,
      let jws = json["jws"]?.stringValue,
      let nonce = json["nonce"]?.stringValue.flatMap({ Base64URL.decode($0) })
    else { return nil }
    self.init(
      username: username, accountID: json["account"]?.stringValue, keyID: keyID, jws: jws, nonce: nonce)
  }
}

extension NodeDefinition {
  /// Asks for the text of a transaction and keeps it, unchanged, as the state variable that a Device Signing Verifier node
  /// takes as its challenge.
  ///
  /// A node of this project; PingAM has no such type. Properties: `sharedStateAttribute`, the variable's name (default
  /// `transaction`), and `prompt`, a text by locale.
  func transactionCollectorNode() throws(JourneyFileError) -> PlainNode {
    let attribute = try string("sharedStateAttribute", default: "transaction")
    guard !attribute.isEmpty, attribute != StateKey.username else {
      throw wrong("sharedStateAttribute", "must name a state variable of its own, such as transaction")
    }
    let prompt = try localized("prompt", builtIn: "Transaction")
    return PlainNode(stateOutputs: [attribute]) { context in
      // Accepts only a text that the device can show whole, and as it is signed.
      if let text = context.reply?.text(), (try? SignedText(text)) != nil, !Challenge.isReserved(text) {
        context.state.shared[attribute] = .string(text)
        return .outcome("outcome")
      }
      if let text = context.reply?.text(), Challenge.isReserved(text) {
        context.logReason(ProofFailure.challengeReserved.text)
      } else if context.reply != nil {
        context.logReason("the text is empty, too long, or has characters that are not seen")
      }
      return .callbacks([
        OutgoingCallback(
          type: "TextInputCallback",
          outputs: [
            .init("prompt", .string(prompt.text(for: context.request.locales))), .init("defaultText", ""),
          ], inputs: [.init("", "")])
      ])
    }
  }
}
