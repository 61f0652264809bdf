package import CTAPAuthenticator
package import Foundation
internal import TerminalText

/// Asks a person for the virtual security key, as the agent asks for SSH.
package struct SecurityKeyPrompt: PersonPrompt {
  private let prompt: any AgentPrompt

  package init(_ prompt: any AgentPrompt) { self.prompt = prompt }

  package func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
    switch await prompt.ask(Self.question(question), until: end) {
    case .pin(let pin): .pin(pin)
    case .yes: .yes
    case .no: .no
    case .nobody(let reason): .nobody(reason)
    }
  }

  static func question(_ question: PersonQuestion) -> AgentQuestion {
    let (title, action) = texts(question.purpose)
    var facts = [AgentQuestion.Fact("Program", "not known: any program of this session can ask")]
    if let party = question.relyingParty { facts.append(AgentQuestion.Fact("Site", site(party))) }
    if let account = question.account { facts.append(AgentQuestion.Fact("Account", account)) }
    facts.append(AgentQuestion.Fact("Good for", "this time only"))
    let remarks = [question.remark, finger(question)].compactMap { $0 }
    return AgentQuestion(
      title: title, action: action, facts: facts, needsPIN: question.needsPIN, terminal: nil,
      remark: remarks.isEmpty ? nil : remarks.joined(separator: " "))
  }

  /// What a finger means for the question; `nil` for nothing.
  private static func finger(_ question: PersonQuestion) -> String? {
    switch question.finger {
    case .none: nil
    case .accepted:
      question.needsPIN
        ? "Instead of the PIN you can put your finger on the reader: that agrees, too."
        : "Put your finger on the reader to agree. A yes alone does not."
    case .trustedByPIN:
      "With the PIN, the fingers that are enrolled on this machine now will do from then on. If you have not enrolled them, say no."
    }
  }

  /// A relying party's id, so that of a long one the end stays in sight: that is what somebody has registered.
  private static func site(_ id: String) -> String {
    let scheme = "https://"
    return String(TerminalText.address(scheme + id).dropFirst(scheme.count))
  }

  private static func texts(_ purpose: PersonQuestion.Purpose) -> (title: String, action: String) {
    switch purpose {
    case .register: ("A program wants to make a passkey.", "Make it?")
    case .signIn: ("A program wants to sign in with a passkey.", "Sign in?")
    case .verify: ("A program wants to manage the passkeys of this device.", "Allow it?")
    case .select: ("A program asks whether it should use the security key of this device.", "Use it?")
    case .setPIN:
      ("A program wants to set the PIN of the security key.", "Set the PIN that you have just entered there?")
    case .reset:
      ("A program wants to DELETE ALL PASSKEYS of the security key, and its PIN.", "Delete them all?")
    }
  }
}
