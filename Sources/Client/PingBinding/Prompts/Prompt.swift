public import DeviceKeys
public import Foundation
public import SigningTransactions

/// What a person is told when asked for a PIN or a key.
public struct Prompt: Sendable, Hashable {
  public let title: String
  public let subtitle: String
  public let description: String

  /// How many tries this operation leaves after a wrong PIN; `nil` when this is the first one.
  public internal(set) var triesLeft: Int?

  /// How many wrong PINs the key itself still takes before it is disabled; `nil` when the store does not say.
  public internal(set) var keyTries: PINTries?

  /// What a PIN that is being chosen has to be like, as a sentence for the person; `nil` when none is.
  public internal(set) var rule: String?

  /// What ``rule`` says, for collectors that look before they ask for the same again.
  var policy: PINPolicy?

  /// Seconds that the person has for this step, from its beginning; `nil` when that is not known.
  public internal(set) var timeLimit: Int?

  /// When an answer is no longer taken: the end of the step, or before it that of ``transaction``; `nil` when that is not known.
  public internal(set) var end: Date?

  /// Whether a PIN is being chosen, which the person should enter twice; otherwise one is entered to be checked.
  public internal(set) var isNewPIN = false

  /// What was wrong with the PIN that was chosen before, as a sentence for the person; `nil` when nothing was.
  public internal(set) var problem: String?

  /// What is going to be signed, all of which has to be shown; `nil` when it is not a transaction. ``description`` has all of
  /// it as well, one part on each line.
  public internal(set) var transaction: Transaction?

  /// What the server says about ``transaction``, and nothing signs; `nil` when it says nothing.
  public internal(set) var transactionContext: TransactionContext?

  /// Whether the person has seen all of ``transaction`` and approved it before this prompt.
  public internal(set) var isTransactionApproved = false

  /// The text that is going to be signed, when it is one and no random challenge.
  public internal(set) var signedText: String?

  /// The address of the server that asks; `nil` outside of a journey. This device knows it, and so ``realm``, ``account`` and
  /// ``application``: show them above all other texts, which are the server's, unless the app has set its own.
  public internal(set) var server: String?

  /// The realm of ``server``.
  public internal(set) var realm: String?

  /// Whose key is going to be used: the user's name, as it was when the key was bound; `nil` while there is no key.
  public internal(set) var account: String?

  /// The application id that is signed as.
  public internal(set) var application: String?

  public init(title: String, subtitle: String, description: String) {
    self.title = title
    self.subtitle = subtitle
    self.description = description
  }

  /// The title above a transaction.
  static let transactionTitle = "Approve this transaction?"

  /// This prompt with `transaction` in the place of the description.
  ///
  /// - Parameter keepsTitle: Whether title and subtitle stay, because they are the app's. A server's would stand beside what
  ///   is signed and could pass as a part of it, so a fixed title takes their place.
  func showing(_ transaction: Transaction, keepsTitle: Bool = false) -> Prompt {
    var prompt = Prompt(
      title: keepsTitle ? title : Self.transactionTitle, subtitle: keepsTitle ? subtitle : "",
      description: transaction.lines.joined(separator: "\n"))
    prompt.triesLeft = triesLeft
    prompt.transaction = transaction
    return prompt.known(as: self)
  }

  /// This prompt of `scope`.
  func asked(by scope: KeyScope?) -> Prompt {
    var prompt = self
    (prompt.server, prompt.realm) = (scope?.server, scope?.realm)
    return prompt
  }

  /// This prompt with what `other` says that the device knows.
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
