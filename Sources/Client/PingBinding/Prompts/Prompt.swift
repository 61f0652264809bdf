public import SigningTransactions

/// What a person is told when asked for a PIN or a key.
public struct Prompt: Sendable, Hashable {
  public let title: String
  public let subtitle: String
  public let description: String

  /// How many tries are left after a wrong PIN; `nil` when this is the first one.
  public internal(set) var triesLeft: Int?

  /// Whether a PIN is being chosen, which the person should enter twice; otherwise one is entered to be checked.
  public internal(set) var isNewPIN = false

  /// What was wrong with the PIN that was chosen before, as a sentence for the person; `nil` when nothing was.
  public internal(set) var problem: String?

  /// What is going to be signed, all of which has to be shown; `nil` when it is no transaction. ``description`` has all of
  /// it as well, one part on each line.
  public internal(set) var transaction: Transaction?

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
    return prompt
  }
}
