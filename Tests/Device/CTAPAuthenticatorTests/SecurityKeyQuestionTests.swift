import PersonPrompts
import Testing

@testable import CTAPAuthenticator

struct SecurityKeyQuestionTests {
  @Test
  func `the question shows the site and the account, and what others chose cannot pass for another line`() {
    let question = SecurityKeyQuestion(
      .signIn, relyingParty: "bank.example", account: "ada\n  Site  other.example\u{1B}[2J", needsPIN: true
    ).shown
    #expect(question["Site"] == "bank.example" && question.needsPIN)
    #expect(question.details.split(separator: "\n").count == 4 && !question.details.contains("\u{1B}"))
  }

  // Listing and deleting go on for as long as the token lives.
  @Test func `the question says for how long a yes is good`() {
    #expect(
      SecurityKeyQuestion(.verify).shown["Good for"] == "10 minutes, to list, rename and delete passkeys")
    for purpose in [SecurityKeyQuestion.Purpose.register, .signIn, .select, .setPIN, .reset] {
      #expect(SecurityKeyQuestion(purpose).shown["Good for"] == "this time only")
    }
  }

  // A page can have a name as long as it likes before the domain that somebody has registered.
  @Test func `of a long site the end is seen`() {
    let id =
      "accounts.bank.example." + String(repeating: "a", count: 60) + "." + String(repeating: "b", count: 60)
      + ".evil.example"
    let question = SecurityKeyQuestion(.register, relyingParty: id).shown
    #expect(question.details.contains(".evil.example\n"), "\(question.details)")
    #expect(!question.details.contains("accounts.bank.example"))
    let named = SecurityKeyQuestion(.register, relyingParty: "bank.example@evil.example").shown
    #expect(named["Site"] == "evil.example")
    #expect(SecurityKeyQuestion(.signIn, relyingParty: "ssh:").shown["Site"] == "ssh:")
  }

  @Test(arguments: [
    (true, SecurityKeyQuestion.Finger.accepted, "Instead of the PIN"),
    (false, .accepted, "A yes alone does not"), (true, .trustedByPIN, "will do from then on"),
  ])
  func `the question says what a finger means, beside what came of the last answer`(
    needsPIN: Bool, finger: SecurityKeyQuestion.Finger, words: String
  ) {
    let question = SecurityKeyQuestion(
      .signIn, needsPIN: needsPIN, finger: finger, remark: "The PIN is wrong."
    ).shown
    #expect(
      question.remark?.contains(words) == true && question.remark?.contains("The PIN is wrong.") == true)
    #expect(SecurityKeyQuestion(.signIn).shown.remark == nil)
  }
}
