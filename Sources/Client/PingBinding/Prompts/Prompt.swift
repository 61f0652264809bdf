public import DeviceKeys
public import Foundation
public import SigningTransactions

/// The texts shown to a person who is asked for a PIN or a key.
public struct Prompt: Sendable, Hashable {
  public let title: String
  public let subtitle: String
  public let description: String

  /// How many tries this operation has left after a wrong PIN; `nil` on the first try.
  public internal(set) var triesLeft: Int?

  /// How many wrong PINs are left before the key itself is disabled, or its chip or token accepts none; `nil` when the store does not report
  /// it.
  public internal(set) var keyTries: PINTries?

  /// The token, such as a smart card, whose PIN is asked for; `nil` when the key has a PIN of its own. Show it with the device's facts.
  public internal(set) var token: KeyToken?

  /// The requirements on a new PIN, as a sentence for the person; `nil` when no PIN is being chosen.
  public internal(set) var rule: String?

  /// The policy behind ``rule``, for collectors that check the PIN before they ask for it again.
  var policy: PINPolicy?

  /// The step's time limit in seconds, from its beginning; `nil` when it is not known.
  public internal(set) var timeLimit: Int?

  /// The last moment for an answer: the end of the step or of ``transaction``, whichever comes first; `nil` when it is not known.
  public internal(set) var end: Date?

  /// Whether a new PIN is being chosen, which the person should enter twice; otherwise an existing PIN is checked.
  public internal(set) var isNewPIN = false

  /// Why the last choice of a new PIN was refused, as a sentence for the person; `nil` on the first try.
  public internal(set) var problem: String?

  /// The transaction to be signed, which has to be shown completely; `nil` when no transaction is signed. ``description`` contains
  /// it as well, one part on each line.
  public internal(set) var transaction: Transaction?

  /// The server's unsigned statements about ``transaction``; `nil` when there are none.
  public internal(set) var transactionContext: TransactionContext?

  /// Whether the person has seen the complete ``transaction``, or ``signedText``, and approved it before this prompt.
  public internal(set) var isTransactionApproved = false

  /// The text to be signed, which has to be shown completely, like a ``transaction``; `nil` when no text is signed. ``description``
  /// contains it as well.
  public internal(set) var signedText: String?

  /// The address of the server that asks; `nil` outside a journey. It comes from this device, as do ``realm``, ``account`` and
  /// ``application``: show them above all other texts, which are the server's, unless the app has set its own.
  public internal(set) var server: String?

  /// The realm of ``server``.
  public internal(set) var realm: String?

  /// The name of the key's user when the key was bound; `nil` before a key is chosen.
  public internal(set) var account: String?

  /// The application id of the signature (`iss`).
  public internal(set) var application: String?

  public init(title: String, subtitle: String, description: String) {
    self.title = title
    self.subtitle = subtitle
    self.description = description
  }

  /// The title above a transaction.
  static let transactionTitle = "Approve this transaction?"

  /// The title above a text to be signed.
  static let textTitle = "Sign this text?"

  /// This prompt with `transaction` in the place of the description.
  ///
  /// - Parameter keepsTitle: Whether title and subtitle stay, because they are the app's. A server's title could pass for a part
  ///   of the signed transaction, so a fixed title replaces it.
  func showing(_ transaction: Transaction, keepsTitle: Bool = false) -> Prompt {
    var prompt = Prompt(
      title: keepsTitle ? title : Self.transactionTitle, subtitle: keepsTitle ? subtitle : "",
      description: transaction.lines.joined(separator: "\n"))
    prompt.triesLeft = triesLeft
    prompt.transaction = transaction
    return prompt.known(as: self)
  }

  /// This prompt with the text to be signed in the place of the description.
  ///
  /// - Parameter keepsTitle: As in ``showing(_:keepsTitle:)``.
  func showing(text: String, keepsTitle: Bool = false) -> Prompt {
    var prompt = Prompt(
      title: keepsTitle ? title : Self.textTitle, subtitle: keepsTitle ? subtitle : "", description: text)
    prompt.triesLeft = triesLeft
    prompt = prompt.known(as: self)
    prompt.signedText = text
    return prompt
  }

  /// This prompt with the server and realm of `scope`.
  func asked(by scope: KeyScope?) -> Prompt {
    var prompt = self
    (prompt.server, prompt.realm) = (scope?.server, scope?.realm)
    return prompt
  }

  /// This prompt with the device's facts from `other`.
  func known(as other: Prompt) -> Prompt {
    var prompt = self
    (prompt.server, prompt.realm) = (other.server, other.realm)
    (prompt.account, prompt.application) = (other.account, other.application)
    (prompt.timeLimit, prompt.end, prompt.signedText) = (other.timeLimit, other.end, other.signedText)
    (prompt.transactionContext, prompt.isTransactionApproved) = (
      other.transactionContext, other.isTransactionApproved
    )
    return prompt
  }
}
