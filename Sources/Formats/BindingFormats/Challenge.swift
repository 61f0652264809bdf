internal import Bytes
package import SigningTransactions
internal import StrictJSON

/// The challenge that a bound key, or a key that is being bound, has to sign.
///
/// The wire form is the text of the callback's output `challenge`, which the device signs as the claim of that name. A
/// transaction comes with the output `transaction` as well, and its challenge is computed from it on both sides.
package enum Challenge: Sendable, Hashable {
  /// Random bytes, ``randomCount`` of them from our server; in standard Base64 with padding on the wire.
  case random([UInt8])

  /// A text, signed as it is. It never has the form that ``isReserved(_:)`` reserves for the other two.
  case text(String)

  /// A transaction; 32 bytes in standard Base64 with padding on the wire (`docs/transactions.md`).
  case transaction(OfferedTransaction)

  /// How many random bytes the server draws.
  package static let randomCount = 32

  /// Reads the wire form.
  ///
  /// - Parameter offer: The transaction that came with it; `nil` when none did.
  /// - Returns: `nil` when `wire` is empty, or is not the challenge of `offer`.
  package init?(wire: String, offer: OfferedTransaction? = nil) {
    if let offer {
      guard offer.challenge.hasSameBytes(as: wire) else { return nil }
      self = .transaction(offer)
    } else if Self.isReserved(wire), let bytes = PaddedBase64.decode(wire) {
      self = .random(bytes)
    } else if wire.isEmpty {
      return nil
    } else {
      self = .text(wire)
    }
  }

  /// The text that is sent and signed.
  package var wire: String {
    switch self {
    case .random(let bytes): PaddedBase64.encode(bytes)
    case .text(let text): text
    case .transaction(let offer): offer.challenge
    }
  }

  /// What ``wire`` stands for: the random bytes, the text in UTF-8, or the transaction's hash.
  package var bytes: [UInt8] {
    switch self {
    case .random(let bytes): bytes
    case .text(let text): Array(text.utf8)
    case .transaction(let offer): PaddedBase64.decode(offer.challenge) ?? []
    }
  }

  /// The transaction; `nil` for other challenges.
  package var transaction: OfferedTransaction? {
    if case .transaction(let offer) = self { offer } else { nil }
  }

  /// The text that a person can read and has to see before it is signed; `nil` for random bytes and transactions.
  ///
  /// - Throws: ``SignedText/Fault`` for a text that cannot be shown as it would be signed.
  package func signedText() throws(SignedText.Fault) -> SignedText? {
    if case .text(let text) = self { try SignedText(text) } else { nil }
  }

  /// The purpose of a signature. A signature made for one purpose is refused for every other.
  package enum Purpose: Sendable, Hashable {
    /// The device proves that it has the key: it binds the key or signs in with it.
    case possession
    /// The device's user agrees to a text. This does not sign them in.
    case statement
    /// The device's user has seen and approves the transaction with this id. This does not sign them in.
    case approval(transactionID: String)
  }

  package var purpose: Purpose {
    switch self {
    case .random: .possession
    case .text: .statement
    case .transaction(let offer): .approval(transactionID: offer.id)
    }
  }
}

extension Challenge {
  /// Whether `text` has the form of a challenge that a server draws or computes by itself: 43 characters of Base64 or
  /// base64url, and `=`.
  ///
  /// A text that a user or a program wants signed must not have this form: its signature could pass as a sign-in or an approval, and
  /// the signature of a sign-in or an approval could pass as one over the text. The last character before the padding is not checked
  /// further, because lenient decoders accept any.
  package static func isReserved(_ text: String) -> Bool {
    guard text.utf8.count == 44, text.utf8.last == UInt8(ascii: "=") else { return false }
    return text.utf8.dropLast().allSatisfy(Base64Codec.isCharacter)
  }
}
