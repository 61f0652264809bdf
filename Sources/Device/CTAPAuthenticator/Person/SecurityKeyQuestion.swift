package import PersonPrompts
internal import TerminalText

/// A question to a person before the security key does what a program wants.
package struct SecurityKeyQuestion: Sendable, Hashable {
  package enum Purpose: Sendable, Hashable {
    case register
    case signIn
    /// The program wants a token that stands for the person, to manage passkeys with.
    case verify
    /// Among several security keys, is it this one?
    case select
    case setPIN
    /// All passkeys and the PIN are to be deleted.
    case reset
  }

  package let purpose: Purpose
  /// The relying party's id as the program states it: a security key cannot see a page's address. `nil` when the question is about none.
  package let relyingParty: String?
  /// The account as the relying party calls it; `nil` when the question is about none.
  package let account: String?
  /// The passkey that a new one replaces, and that is deleted; `nil` for none.
  package let replaces: String?
  /// What a finger on the reader means while the question is shown.
  package enum Finger: Sendable, Hashable {
    case none
    /// It answers as the PIN does, or in place of a yes where there is no PIN.
    case accepted
    /// The enrolled fingers are not trusted, or no longer; entering the PIN makes them trusted.
    case trustedByPIN
  }

  /// Whether the PIN is needed; otherwise yes or no.
  package internal(set) var needsPIN: Bool
  package internal(set) var finger: Finger
  /// A remark on the last answer, such as a wrong PIN.
  package var remark: String?

  package init(
    _ purpose: Purpose, relyingParty: String? = nil, account: String? = nil, replaces: String? = nil,
    needsPIN: Bool = false, finger: Finger = .none, remark: String? = nil
  ) {
    (self.purpose, self.relyingParty, self.account, self.replaces) = (
      purpose, relyingParty, account, replaces
    )
    (self.needsPIN, self.finger, self.remark) = (needsPIN, finger, remark)
  }

  /// The question as it is shown.
  package var shown: PersonQuestion {
    var facts = [PersonQuestion.Fact("Program", "not known: any program of this session can ask")]
    if let relyingParty { facts.append(PersonQuestion.Fact("Site", Self.site(relyingParty))) }
    if let account { facts.append(PersonQuestion.Fact("Account", account)) }
    if let replaces { facts.append(PersonQuestion.Fact("Replaces", replaces)) }
    facts.append(PersonQuestion.Fact("Good for", purpose.validity))
    let remarks = [remark, aboutFingers].compactMap { $0 }
    return PersonQuestion(
      title: purpose.title, action: purpose.action, facts: facts, needsPIN: needsPIN, terminal: nil,
      remark: remarks.isEmpty ? nil : remarks.joined(separator: " "))
  }

  private var aboutFingers: String? {
    switch finger {
    case .none: nil
    case .accepted:
      needsPIN
        ? "Instead of the PIN you can put your finger on the reader: that agrees, too."
        : "Put your finger on the reader to agree. A yes alone does not."
    case .trustedByPIN:
      "With the PIN, the fingers that are enrolled on this machine now will do from then on. If you have not enrolled them, say no."
    }
  }

  /// A relying party's id, shortened at the front when it is long: the end is what somebody has registered.
  private static func site(_ id: String) -> String {
    let scheme = "https://"
    return String(TerminalText.address(scheme + id).dropFirst(scheme.count))
  }
}

extension SecurityKeyQuestion.Purpose {
  fileprivate var title: String {
    switch self {
    case .register: "A program wants to make a passkey."
    case .signIn: "A program wants to sign in with a passkey."
    case .verify: "A program wants to manage the passkeys of this device."
    case .select: "A program asks whether it should use the security key of this device."
    case .setPIN: "A program wants to set the PIN of the security key."
    case .reset: "A program wants to DELETE ALL PASSKEYS of the security key, and its PIN."
    }
  }

  /// How long a yes counts, and for what.
  fileprivate var validity: String {
    guard self == .verify else { return "this time only" }
    let minutes = VerificationToken.lifetime.components.seconds / 60
    return "\(minutes) minutes, to list, rename and delete passkeys"
  }

  fileprivate var action: String {
    switch self {
    case .register: "Make it?"
    case .signIn: "Sign in?"
    case .verify: "Allow it?"
    case .select: "Use it?"
    case .setPIN: "Set the PIN that you have just entered there?"
    case .reset: "Delete them all?"
    }
  }
}
