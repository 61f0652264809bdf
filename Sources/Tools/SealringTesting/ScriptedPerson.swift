internal import Concurrency
public import PingBinding
public import SigningTransactions
public import UserVerification

/// The person in front of the device, as a test needs them: enters PINs, picks keys, cancels, or never answers.
///
/// Give it to a ``TestDevice``, or set it as `pinCollector`, `userKeySelector` and `credentialSource` of a
/// `DeviceBindingConfig`.
public final class ScriptedPerson: PinCollector, UserKeySelector, CredentialSource, Sendable {
  /// What the person does when asked for a PIN.
  public enum PINEntry: Sendable, Hashable {
    /// Types this PIN.
    case enters(String)
    /// Closes the prompt.
    case cancels
    /// Never answers: what a deadline is for.
    case stalls
    /// Answers twice, as a hasty double tap does.
    case entersTwice(String)
  }

  /// What the person does when several keys fit.
  public enum KeyChoice: Sendable, Hashable {
    /// Picks the key that was made last.
    case newest
    /// Picks the first key of this user; cancels when there is none.
    case of(username: String)
    /// Closes the choice.
    case cancels
    /// Never answers: what a deadline is for.
    case stalls
  }

  /// What the person does when a transaction, or a text to sign, is shown.
  public enum Answer: Sendable, Hashable {
    case approves
    case refuses
    /// Never answers: what a deadline is for.
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

  /// A person who goes through `pins` in order and repeats the last one; without any, cancels.
  ///
  /// - Parameters:
  ///   - answer: What the person says when shown a transaction or a text to sign.
  ///   - password: What is answered when the device asks for its own credential; `nil` cancels.
  public init(
    pins: [PINEntry], picks keyChoice: KeyChoice = .newest, onTransactions answer: Answer = .approves,
    devicePassword password: String? = nil
  ) {
    pinEntries = pins
    self.keyChoice = keyChoice
    self.answer = answer
    self.password = password
  }

  /// A person who knows the PIN.
  public convenience init(pin: String) { self.init(pins: [.enters(pin)]) }

  /// A person looks at everything shown.
  public var showsTransactions: Bool { true }

  /// The PIN prompts shown so far.
  public var pinPrompts: [Prompt] { seen.withLock { $0.prompts } }

  /// The keys offered at each choice so far.
  public var keyOffers: [[UserKey]] { seen.withLock { $0.offers } }

  /// The transactions shown so far.
  public var transactions: [Transaction] { seen.withLock { $0.transactions } }

  /// The texts to sign that were shown so far.
  public var texts: [String] { seen.withLock { $0.texts } }

  /// Answers as the next of the given entries says.
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

  /// Answers as the given choice says.
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

  /// Whether the person approves the transaction, as the given answer says.
  public func approves(_ transaction: Transaction) async -> Bool {
    seen.withLock { $0.transactions.append(transaction) }
    if answer == .stalls { await Self.stall() }
    return answer == .approves
  }

  /// Whether the person signs the text, as the given answer says.
  public func signs(_ text: String) async -> Bool {
    seen.withLock { $0.texts.append(text) }
    if answer == .stalls { await Self.stall() }
    return answer == .approves
  }

  /// Returns when the task is cancelled.
  private static func stall() async {
    let (stream, _) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
  }
}
