internal import Concurrency
public import PingBinding
public import SigningTransactions
public import UserVerification

/// A scripted user of a device in a test: enters PINs, picks keys, cancels, or never answers.
///
/// Give it to a ``TestDevice``, or set it as `pinCollector`, `userKeySelector` and `credentialSource` of a
/// `DeviceBindingConfig`.
public final class ScriptedPerson: PinCollector, UserKeySelector, CredentialSource, Sendable {
  /// The user's reaction to a PIN prompt.
  public enum PINEntry: Sendable, Hashable {
    /// Types this PIN.
    case enters(String)
    /// Closes the prompt.
    case cancels
    /// Never answers, to test deadlines.
    case stalls
    /// Answers twice, like a hasty double tap.
    case entersTwice(String)
  }

  /// The user's choice when several keys are suitable.
  public enum KeyChoice: Sendable, Hashable {
    /// Picks the newest key.
    case newest
    /// Picks the first key of this user; cancels when there is none.
    case of(username: String)
    /// Closes the choice.
    case cancels
    /// Never answers, to test deadlines.
    case stalls
  }

  /// The user's reaction to a transaction or a text to sign.
  public enum Answer: Sendable, Hashable {
    case approves
    case refuses
    /// Never answers, to test deadlines.
    case stalls
  }

  private struct Seen {
    var prompts: [Prompt] = []
    var offers: [[UserKey]] = []
    var transactions: [Transaction] = []
    var texts: [String] = []
  }

  private let pinEntries: [PINEntry]
  private let keyChoice: KeyChoice
  private let password: String?
  private let answer: Answer
  private let seen = Locked(Seen())

  /// A user who enters `pins` in order and repeats the last one; without any, cancels.
  ///
  /// - Parameters:
  ///   - answer: The reaction to a transaction or a text to sign.
  ///   - password: The answer when the device asks for its own credential; `nil` cancels.
  public init(
    pins: [PINEntry], picks keyChoice: KeyChoice = .newest, onTransactions answer: Answer = .approves,
    devicePassword password: String? = nil
  ) {
    pinEntries = pins
    self.keyChoice = keyChoice
    self.answer = answer
    self.password = password
  }

  /// A user who knows the PIN.
  public convenience init(pin: String) { self.init(pins: [.enters(pin)]) }

  /// Always `true`: the user looks at every transaction.
  public var showsTransactions: Bool { true }

  /// The PIN prompts shown so far.
  public var pinPrompts: [Prompt] { seen.withLock { $0.prompts } }

  /// The keys offered at each choice so far.
  public var keyOffers: [[UserKey]] { seen.withLock { $0.offers } }

  /// The transactions shown so far.
  public var transactions: [Transaction] { seen.withLock { $0.transactions } }

  /// The texts to sign that were shown so far.
  public var texts: [String] { seen.withLock { $0.texts } }

  /// Answers with the next of the given entries.
  public func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) {
    let turn = seen.withLock { seen in
      seen.prompts.append(prompt)
      return seen.prompts.count - 1
    }
    switch pinEntries.indices.contains(turn) ? pinEntries[turn] : pinEntries.last ?? .cancels {
    case .enters(let pin): completion(pin)
    case .cancels: completion(nil)
    case .stalls: break
    case .entersTwice(let pin):
      completion(pin)
      completion(pin)
    }
  }

  /// Answers with the given device password.
  public func answer(to question: CredentialQuestion) async -> CredentialSecret? {
    password.map { CredentialSecret($0) }
  }

  /// Picks a key by the given choice.
  public func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey? {
    seen.withLock { $0.offers.append(userKeys) }
    switch keyChoice {
    case .newest: return userKeys.max { $0.createdAt < $1.createdAt }
    case .of(let username): return userKeys.first { $0.username == username }
    case .cancels: return nil
    case .stalls:
      await Self.stall()
      return nil
    }
  }

  /// Whether the user approves the transaction, by the given answer.
  public func approves(_ transaction: Transaction) async -> Bool {
    seen.withLock { $0.transactions.append(transaction) }
    if answer == .stalls { await Self.stall() }
    return answer == .approves
  }

  /// Whether the user signs the text, by the given answer.
  public func signs(_ text: String) async -> Bool {
    seen.withLock { $0.texts.append(text) }
    if answer == .stalls { await Self.stall() }
    return answer == .approves
  }

  /// Waits until the task is cancelled.
  private static func stall() async {
    let (stream, _) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
  }
}
