import CTAPAuthenticator
import DeviceKeys
import Foundation
import Testing

@testable import Agent

struct SecurityKeyPromptTests {
  @Test
  func `the question shows the site and the account, and what others chose cannot pass for another line`() {
    let question = SecurityKeyPrompt.question(
      PersonQuestion(
        .signIn, relyingParty: "bank.example", account: "ada\n  Site  other.example\u{1B}[2J", needsPIN: true)
    )
    #expect(question["Site"] == "bank.example" && question.needsPIN)
    #expect(question.details.split(separator: "\n").count == 4 && !question.details.contains("\u{1B}"))
  }

  // A page can have a name as long as it likes before the domain that somebody has registered.
  @Test func `of a long site the end is seen`() {
    let id =
      "accounts.bank.example." + String(repeating: "a", count: 60) + "." + String(repeating: "b", count: 60)
      + ".evil.example"
    let question = SecurityKeyPrompt.question(PersonQuestion(.register, relyingParty: id))
    #expect(question.details.contains(".evil.example\n"), "\(question.details)")
    #expect(!question.details.contains("accounts.bank.example"))
    let named = SecurityKeyPrompt.question(
      PersonQuestion(.register, relyingParty: "bank.example@evil.example"))
    #expect(named["Site"] == "evil.example")
    #expect(SecurityKeyPrompt.question(PersonQuestion(.signIn, relyingParty: "ssh:"))["Site"] == "ssh:")
  }

  @Test(arguments: [
    (true, PersonQuestion.Finger.accepted, "Instead of the PIN"), (false, .accepted, "A yes alone does not"),
    (true, .trustedByPIN, "will do from then on"),
  ])
  func `the question says what a finger means, beside what came of the last answer`(
    needsPIN: Bool, finger: PersonQuestion.Finger, words: String
  ) {
    let question = SecurityKeyPrompt.question(
      PersonQuestion(.signIn, needsPIN: needsPIN, finger: finger, remark: "The PIN is wrong."))
    #expect(
      question.remark?.contains(words) == true && question.remark?.contains("The PIN is wrong.") == true)
    #expect(SecurityKeyPrompt.question(PersonQuestion(.signIn)).remark == nil)
  }

  @Test(arguments: [
    (AgentAnswer.yes, PersonAnswer.yes), (.no, .no), (.pin(PIN("739184")), .pin(PIN("739184"))),
    (.nobody("there is no terminal"), .nobody("there is no terminal")),
  ])
  func `the answer is passed on`(given: AgentAnswer, answer: PersonAnswer) async {
    let prompt = SecurityKeyPrompt(AgentPerson([given]))
    #expect(await prompt.ask(PersonQuestion(.select), until: Date()) == answer)
  }
}
